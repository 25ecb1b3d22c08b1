"""How kernels are compiled that only other kernels call: as a part of those that call them.

By itself numba would optimise such a function, and make machine code of it, only to throw that
away: what is called from Python has the code of all that it calls within, optimised once more.
Here it is left as it is until then, which takes a quarter less time for a first run. Nothing of an
answer changes. This is the one place that knows of numba's libraries of code.
"""

from types import SimpleNamespace
from typing import Any

from llvmlite import binding
from numba.core import caching, codegen, compiler

_library: Any = codegen.JITCodeLibrary
_compiler: Any = compiler.Compiler
_results: Any = caching.CompileResultCacheImpl
_compile_result: Any = compiler.compile_result


class InnerLibrary(_library):  # type: ignore[misc]
    """The code of a function that others take in; it cannot be run by itself."""

    codegen = SimpleNamespace(set_env=lambda name, environment: None)
    """In place of the engine that runs machine code: there is nothing to set up in it."""

    def get_pointer_to_function(self, name: str) -> int:
        """0, as there is no machine code."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """What is kept on the disk."""
        return self.name, "bitcode", self._get_module_for_linking().as_bitcode()

    def read(self, stored: tuple[str, str, Any]) -> None:
        """Take in what was kept; of machine code too, as numba keeps it by itself."""
        _, kind, code = stored
        self._final_module = binding.parse_bitcode(code[1] if kind == "object" else code)
        self._finalize_final_module()

    def _optimize_final_module(self) -> None:
        """Leave it to the functions that it becomes a part of."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class InnerCompiler(_compiler):  # type: ignore[misc]
    """Compiles functions that only others call."""

    def define_pipelines(self) -> Any:
        """numba's own, with a library of code that is not run."""
        state = self.state
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


class InnerResults(_results):  # type: ignore[misc]
    """What is kept of such functions on the disk."""

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The function as it was when it was kept."""
        stored, described, environment, *rest = payload
        signature, is_object, lifted, notes, reloads, others = rest
        for reload in reloads:
            reload()
        library = InnerLibrary(target_context.codegen(), stored[0])
        library.read(stored)
        return _compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            environment=environment,
            entry_point=target_context.get_executable(library, described, environment),
            fndesc=described,
            type_annotation=notes,
            signature=signature,
            objectmode=is_object,
            lifted=lifted,
            reload_init=reloads,
            referenced_envs=others,
        )
