//! What a reader of Rust expects of types: that they clone, compare, hash, cross threads and iterate.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use stowplan::component::{Answer, AppIndex, Component, Registry};
use stowplan::openmp::{Runtime, Threads};
use stowplan::prte::{Attribute, MapJob, Owner, Request, Scope, SetError, SetStatus, Value};
use stowplan::session::{Channel, Event, Image, Initial, Name, State};
use stowplan::taskmap::{TaskMap, TaskMapError};
use stowplan::{
    Advice, App, BindTo, Cause, Class, Cluster, ClusterNode, Columns, Cpus, Difference, Error,
    Explanation, GpuColumn, Job, JobApp, JobBuilder, JobId, Line, Machine, MapBy, Nearest, Network,
    Node, NodeSlice, Nodes, Note, ObjKind, Object, Plan, Planner, Policy, Proc, ProcCount, Procs,
    Rank, RankBy, ReadAs, Refused, Score, SliceProc, Standing, Summary, Table, Topology, Traffic,
    UnknownClass, Waiting, Word, Workers,
};

/// Each type of a list has the traits of the list.
macro_rules! have {
    ($($bound:path),+ ; $($own:ty),+ $(,)?) => {{
        fn has<T: $($bound +)+ ?Sized>() {}
        $(has::<$own>();)+
    }};
}

#[test]
fn everything_crosses_threads_and_prints() {
    have!(Send, Sync, Debug;
        Advice, App, BindTo, Cause<'_>, Class, Cluster, ClusterNode<'_>, Columns<'_>, Cpus<'_>, Difference, Error, Explanation, GpuColumn, Job,
        JobApp<'_>, JobBuilder, JobId, Line, Machine, MapBy, Nearest<'_>, Network, Node<'_>, NodeSlice, Nodes<'_>, Note, ObjKind, Object,
        Plan, Planner, Policy<MapBy>, Proc<'_>, ProcCount, Procs<'_>, Rank, RankBy, ReadAs, Refused, Score, SliceProc<'_>, Standing,
        Summary, Table, Topology, Traffic, UnknownClass, Waiting, Word<'_>, Workers,
        Answer, AppIndex, Component, Registry, Runtime, Threads, Attribute<'_>, MapJob, Owner, Request, Scope, SetError, SetStatus, Value,
        Channel, Event<'_>, Image, Initial, Name, State, TaskMap, TaskMapError,
    );
}

#[test]
fn values_clone_and_compare() {
    have!(Clone, PartialEq, Eq;
        App, BindTo, Class, Cpus<'_>, Error, Job, JobId, MapBy, Note, ObjKind, Object, Plan, Policy<BindTo>, ProcCount, Rank, RankBy,
        Standing, Summary, Topology, Node<'_>, NodeSlice, Proc<'_>, SliceProc<'_>, AppIndex, Answer, Owner, Scope, Value, SetStatus, Image, Name,
    );
    have!(PartialEq, Eq; Machine, Advice, Table);
    have!(Clone; Cluster, Machine, Planner, Workers, Registry, Request, Node<'_>, Nodes<'_>, Proc<'_>, Procs<'_>, JobBuilder);
}

#[test]
fn what_names_something_is_a_key_of_a_map() {
    have!(Hash; BindTo, Class, JobId, MapBy, ObjKind, Policy<RankBy>, ProcCount, Rank, RankBy, Owner, Scope, Value, Cpus<'_>,
        Job, Node<'_>, NodeSlice, Note, Plan, Proc<'_>, SliceProc<'_>, Standing, Topology, Object, Answer, AppIndex, Runtime);
    have!(Copy; Class, JobId, ObjKind, ProcCount, Rank, RankBy, BindTo, Owner, Scope, Standing);
    have!(Ord; Rank, ProcCount, Owner, JobId);
}

#[test]
fn errors_are_errors_and_cross_threads() {
    have!(std::error::Error, Display, Send, Sync; Error, UnknownClass, TaskMapError, SetError);
    fn converts<E: Into<Error>>() {}
    converts::<stowplan::session::Refusal>();
    converts::<stowplan::session::ChannelError>();
    converts::<stowplan::session::ReplayError>();
    converts::<stowplan::session::JournalError<std::io::Error>>();
    converts::<stowplan::session::InitialError>();
    converts::<stowplan::session::ImageError>();
    converts::<stowplan::session::Broken>();
    converts::<stowplan::session::FileError>();
    converts::<stowplan::session::StartError>();
}

#[test]
fn collections_iterate_and_know_their_length() {
    have!(DoubleEndedIterator, ExactSizeIterator, std::iter::FusedIterator; Nodes<'_>, Procs<'_>);
    fn iterates<T>()
    where
        T: IntoIterator,
    {
    }
    iterates::<Cpus<'_>>();
    iterates::<&Plan>();
}
