# SPDX-License-Identifier: (Apache-2.0 OR MIT)
from spack.package import *


class Stowplan(Package):
    """Where every process of a parallel job runs: places MPI ranks by the rules of prterun, srun, mpiexec, flux, aprun and jsrun.
    A command, a library for C and C++, and a Python package."""

    homepage = "https://stowplan.example"
    url = "https://stowplan.example/source/stowplan-0.1.0.tar.gz"
    git = "https://stowplan.example/source.git"

    license("MIT OR Apache-2.0")

    version("main", branch="main")
    # version("0.1.0", sha256="...")  with the first release

    variant("c", default=True, description="Install libstowplan, its header and its manual pages")
    variant("python", default=False, description="Install the Python package")

    depends_on("rust@1.90:", type="build")
    depends_on("c", type="build")
    extends("python@3.10:", when="+python")
    depends_on("py-pip", type="build", when="+python")
    depends_on("py-maturin@1.9:1", type="build", when="+python")

    def setup_build_environment(self, env):
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo"))

    def install(self, spec, prefix):
        install = Executable("tools/install")
        if spec.satisfies("+c"):
            install(prefix)
        else:
            install("--only", "command", prefix)
        if spec.satisfies("+python"):
            pip = which("pip", required=True)
            pip("install", "--no-deps", "--no-build-isolation", f"--prefix={prefix}", "bindings/python")

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.stowplan)("map", "--topo", "core:4 pu:1", "-H", "a:4", "-n", "4", "./x")
