"""`m.modules`: health of modules, quarantine, and writes that wait for an operator."""

from typing import TypeAlias, cast

from mace.core.answers import ApprovalView, ModuleView, QueuedWrite, RetriedWrite
from mace.engine.arguments import Id
from mace.engine.groups.base import Group, called
from mace.engine.verbs import verb

_ModuleViews: TypeAlias = list[ModuleView]  # `list` is a verb below
_QueuedWrites: TypeAlias = list[QueuedWrite]  # `list` is a verb below
_RetriedWrites: TypeAlias = list[RetriedWrite]  # `list` is a verb below


class ModulesGroup(Group):
    """Health of modules, quarantine, and writes that wait for an operator."""

    def __call__(self) -> _ModuleViews:
        """All modules; use `list()`."""
        called("modules", "list()")
        return self.list()

    @verb("modules.list")
    def list(self) -> _ModuleViews:
        """Every module with its health."""
        return cast(_ModuleViews, self._parts.modules.all())

    @verb("modules.recover")
    def recover(self, module_id: Id) -> ModuleView:
        """Bring an offline or degraded module back, on the record."""
        return cast(ModuleView, self._parts.modules.recover(module_id, self._by))

    @verb("modules.request_quarantine")
    def request_quarantine(self, module_id: Id) -> ApprovalView:
        """Ask for a module to be quarantined; it never is without a vote."""
        return cast(ApprovalView, self._parts.violations.request_quarantine(module_id, self._by))

    @verb("modules.request_release")
    def request_release(self, module_id: Id) -> ApprovalView:
        """Ask for a module to be let out of quarantine."""
        return cast(ApprovalView, self._parts.violations.request_release(module_id, self._by))

    @verb("modules.queued_writes")
    def queued_writes(self) -> _QueuedWrites:
        """Writes that failed while the store was down and wait for an operator."""
        return cast(_QueuedWrites, self._parts.queued.waiting())

    @verb("modules.retry_queued")
    def retry_queued(self) -> _RetriedWrites:
        """Try each queued write once more; there is no second retry."""
        return cast(_RetriedWrites, self._parts.queued.retry(self._by))
