"""The lock of a file that one run writes to."""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from tesuji.core.errors import UserError

try:
    import fcntl
except ImportError:  # no such locks on this system: the user must not start two runs
    fcntl = None


class FileLock:
    """A lock that the system takes back when the process ends. Its file is removed at the end, unless it is not one of ours."""

    MARK = b"lock of a tesuji match\n"

    def __init__(self, path: str):
        self._path = path
        self._handle: int | None = None

    def take(self, refusal: str) -> None:
        if fcntl is None:
            return
        while True:
            handle, made = self._opened()
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(handle)
                raise UserError(refusal) from None
            if self._is_file_of(handle):
                if made:
                    self._mark(handle)
                self._handle = handle
                return
            os.close(handle)  # whoever held it has removed the file meanwhile: once more

    def _is_file_of(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(handle))
        except OSError:
            return False

    def _mark(self, handle: int) -> None:
        """Writes whose file it is; one that cannot be marked, as on a full disk, is removed, or nobody would ever remove it."""
        try:
            if os.write(handle, self.MARK) < len(self.MARK):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            os.unlink(self._path)
            os.close(handle)
            raise UserError(f"{self._path} cannot be written: {error.strerror}") from None

    def _opened(self) -> tuple[int, bool]:
        """A descriptor of the lock's file, and whether it was made just now."""
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            try:
                return os.open(self._path, flags | os.O_CREAT | os.O_EXCL, 0o666), True
            except FileExistsError:
                handle = os.open(self._path, flags | os.O_CREAT, 0o666)
        except OSError as error:
            raise UserError(f"{self._path} cannot be written: {error.strerror}") from None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise UserError(f"{self._path} is not a regular file, so it cannot be the lock of a match: move it away")
        return handle, False

    def release(self) -> None:
        if self._handle is not None:
            with contextlib.suppress(OSError):
                if os.pread(self._handle, len(self.MARK) + 1, 0) == self.MARK:
                    os.unlink(self._path)
            os.close(self._handle)
            self._handle = None
