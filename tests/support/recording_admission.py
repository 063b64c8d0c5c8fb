"""Admission control that records how connections ended."""

import time

from cartino_server.limits import AdmissionLimits
from cartino_server.ssh.admission import AdmissionControl
from cartino_server.visitors import Ending


class RecordingAdmission(AdmissionControl):
    """`endings` holds how each connection ended, in order; addresses in `banned` are refused."""

    def __init__(self, limits: AdmissionLimits = AdmissionLimits()) -> None:  # noqa: B008 - a constant
        self.banned: set[str] = set()
        super().__init__(limits, time.monotonic, self.banned.__contains__)
        self.endings: list[Ending] = []

    def record_connection_end(self, connection: int, why: Ending) -> None:
        if not self.has_ended(connection):
            self.endings.append(why)
        super().record_connection_end(connection, why)
