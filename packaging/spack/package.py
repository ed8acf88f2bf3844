# SPDX-License-Identifier: Apache-2.0
# For a repository of your own: spack repo create, then this file into packages/breakeven/, and
#   spack install breakeven@main dev_path=/path/to/the/clone
from spack.package import *


class Breakeven(CMakePackage):
    """From which size on does another compute backend pay off on a machine? Measured, verified, explained."""

    license("Apache-2.0")
    version("main")

    variant("kokkos", default=True, description="The plugin kokkos-openmp")
    variant("cuda", default=False, description="The plugins cublas, multi-gpu and kokkos-cuda")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("benchmark@1.7.1:")
    depends_on("boost@1.74: +filesystem +system")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("hwloc")
    depends_on("nlohmann-json")
    depends_on("openblas")
    depends_on("re2")
    depends_on("sqlite")
    depends_on("kokkos@5: +openmp +pic ~shared", when="+kokkos~cuda")
    depends_on("cuda@12.2:", when="+cuda")

    generator("ninja")

    def cmake_args(self):
        args = [self.define("BREAKEVEN_TESTS", False), self.define("CMAKE_UNITY_BUILD", True)]
        if self.spec.satisfies("~cuda"):
            args.append(self.define("CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit", True))
        return args
