"""Many requests at once: a dict in, a dict out."""

import json
from collections.abc import Mapping

from ._stowplan import Job, PlacementError, place_many

_KEYS = {"id", "words", "request"}


def _refused(kind, message):
    error = PlacementError(message)
    error.kind, error.message, error.hint, error.text, error.span = kind, message, None, None, None
    return error


def _job(request):
    """The id and the job of a request, or why it is none."""
    if isinstance(request, (str, bytes, bytearray)):
        try:
            request = json.loads(request)
        except (ValueError, RecursionError) as error:
            return None, _refused("bad-request", f"this is no request: {error}")
        if not isinstance(request, dict):
            return None, _refused("bad-request", "this is no JSON object")
    if not isinstance(request, Mapping):
        raise TypeError(f"a request is a dict or a line of JSON, not {type(request).__name__}")
    own = request.get("id")
    unknown = [key for key in request if key not in _KEYS]
    if unknown:
        return own, _refused("bad-request", f"this is no request: unknown field {unknown[0]!r}; there are id words request")
    words, spawn = request.get("words"), request.get("request")
    if words is None and spawn is None:
        return own, _refused("bad-request", "words or a request are missing")
    try:
        if spawn is None:
            return own, Job.from_command_line(words)
        if words:
            return own, _refused("bad-request", "a request says its apps itself: words have no place beside it")
        return own, Job.from_json(spawn if isinstance(spawn, str) else json.dumps(spawn))
    except PlacementError as error:
        return own, error


def batch(requests, machine):
    """Answers many requests, using all cores, each as if it had the machine to itself: a list of answers in their order.

    A request is a dict, or a line of JSON: ``{"id": ..., "words": ["-n", "8", ...]}``, or ``{"id": ..., "request": {...}}`` with a
    spawn request. Its answer is ``{"id": ..., "line": N, "ok": True, "plan": Plan}``, or
    ``{"id": ..., "line": N, "ok": False, "error": {"class": ..., "message": ...}}``. Lines count from 1.

    >>> import stowplan as sp
    >>> machine = sp.Machine(sp.Topology("package:2 core:4 pu:1"))
    >>> answers = sp.batch([{"id": "a", "words": ["-H", "a:4", "-n", "4", "./x"]}, {"id": "b", "words": ["-H", "a:4", "-n", "5", "./x"]}], machine)
    >>> [(answer["id"], answer["ok"]) for answer in answers]
    [('a', True), ('b', False)]
    >>> answers[1]["error"]["class"]
    'not-enough-slots'
    """
    if isinstance(requests, (str, bytes, Mapping)):
        raise TypeError(f"requests are a list, not {type(requests).__name__}")
    read = [_job(request) for request in requests]
    jobs = [job for _, job in read if isinstance(job, Job)]
    placed = iter(place_many(jobs, machine, refused="keep"))
    answers = []
    for line, (own, job) in enumerate(read, 1):
        found = next(placed) if isinstance(job, Job) else job
        answer = {"id": own, "line": line, "ok": not isinstance(found, PlacementError)}
        if answer["ok"]:
            answer["plan"] = found
        else:
            answer["error"] = {"class": found.kind, "message": found.message}
        answers.append(answer)
    return answers
