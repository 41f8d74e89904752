"""Environments with packages of PyPI, kept in the user's cache."""
import os
import pathlib
import subprocess
import venv


def python(name, packages, modules):
    """The Python of an environment with the packages, or None if they cannot be had."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "tsubame" / f"{name}-venv"
    program = folder / "bin" / "python"
    check = [program, "-c", f"import {', '.join(modules)}"]
    if program.exists() and subprocess.run(check, capture_output=True).returncode == 0:
        return program
    try:
        venv.create(folder, with_pip=True, clear=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    install = [program, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--retries", "1", *packages]
    return program if subprocess.run(install, capture_output=True).returncode == 0 else None
