"""Environments with packages of PyPI, kept in the user's cache."""
import os
import pathlib
import subprocess
import sys
import venv


def python(name, packages, modules, cache=None):
    """The Python of an environment with the packages, or None, with the reason on stderr, if they cannot be had."""
    cache = pathlib.Path(cache or os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "tsubame" / f"{name}-venv"
    program = folder / "bin" / "python"
    check = [program, "-c", f"import {', '.join(modules)}"]
    if program.exists() and subprocess.run(check, capture_output=True).returncode == 0:
        return program
    print(f"installing {', '.join(packages)} into {folder}", flush=True)
    try:
        venv.create(folder, with_pip=True, clear=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no virtual environment (on Debian and Ubuntu it needs python3-venv): {error}", file=sys.stderr)
        return None
    install = [program, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--retries", "1", *packages]
    outcome = subprocess.run(install, capture_output=True, text=True)
    if outcome.returncode != 0:
        print(outcome.stderr.strip()[-2000:], file=sys.stderr)
        return None
    return program
