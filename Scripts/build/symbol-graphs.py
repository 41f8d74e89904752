#!/usr/bin/env python3
"""The symbol graphs that the documentation is made of, out of a debug build.

symbol-graphs.py DEBUG OUTPUT MODULE…: DEBUG is SwiftPM's folder of built products; OUTPUT is made anew.

Users write `import Tsubame` and get what other modules declare (Sources/Tsubame/Exports.swift), so these symbols are
shown, linked and checked as Tsubame's. A public symbol of ours that no sentence describes is an error.
"""
import json, os, pathlib, re, shutil, subprocess, sys, urllib.parse

root = pathlib.Path(__file__).resolve().parents[2]
exported = re.findall(r"^@_exported public import (\w+)", (root / "Sources/Tsubame/Exports.swift").read_text(), re.M)
inner = {name for name in exported if (root / "Sources" / name).is_dir()}


def arguments(debug, module):
    """Where the compiler found what the module imports: its own arguments, as SwiftPM keeps them beside the build."""
    file = debug / "description.json"
    try:
        commands = json.loads(file.read_text())["swiftCommands"].values()
        command = next(command for command in commands if command["moduleName"] == module)
        given = iter(command["otherArguments"])
        found = ["-I", command["importPath"]]
    except (OSError, KeyError, StopIteration, ValueError) as error:
        sys.exit(f"{file} does not say how {module} was built ({error!r}): another SwiftPM than this script knows?")
    for argument in given:
        if argument in ("-target", "-sdk", "-I", "-F", "-Xcc", "-module-cache-path", "-resource-dir"):
            found += [argument, next(given)]
    return found


def extract(debug, output, module):
    reexports = ["-experimental-allowed-reexported-modules=" + ",".join(exported)] if module == "Tsubame" else []
    command = [os.environ.get("SWIFT", "swift"), "symbolgraph-extract", "-module-name", module, *arguments(debug, module)]
    options = ["-minimum-access-level", "public", "-skip-synthesized-members", "-emit-extension-block-symbols"]
    subprocess.run([*command, *options, *reexports, "-output-dir", str(output)], check=True)


def adopt(file):
    """What an inner module declares is Tsubame's: docc checks the doc comments only of the module that it documents."""
    graph = json.loads(file.read_text())
    for symbol in graph["symbols"]:
        comment, extension = symbol.get("docComment", {}), symbol.get("swiftExtension", {})
        if comment.get("module") in inner:
            comment["module"] = "Tsubame"
        if extension.get("extendedModule") in inner:
            extension["extendedModule"] = "Tsubame"
    # Extensions of another module's types are in a file of their own, by whose name docc knows that module.
    extended = file.name.removesuffix(".symbols.json").partition("@")[2]
    if extended in inner:
        file.unlink()
        file = file.with_name(file.name.replace(f"@{extended}.", "@Tsubame."))
        if file.exists():
            there = json.loads(file.read_text())
            graph["symbols"] += there["symbols"]
            graph["relationships"] += there["relationships"]
    file.write_text(json.dumps(graph))
    return graph["symbols"]


def undocumented(symbols):
    for symbol in symbols:
        location, lines = symbol.get("location"), symbol.get("docComment", {}).get("lines", [])
        if location is None or symbol["kind"]["identifier"] == "swift.extension":
            continue
        # One that begins with its parameters does not say what it is.
        if lines and not lines[0]["text"].startswith("- "):
            continue
        file = pathlib.Path(urllib.parse.unquote(location["uri"].removeprefix("file://"))).resolve()
        if file.is_relative_to(root / "Sources"):
            line, name = location["position"]["line"] + 1, ".".join(symbol["pathComponents"])
            yield f"{file.relative_to(root)}:{line}: {name} is public and no doc comment says what it is"


debug, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
shutil.rmtree(output, ignore_errors=True)
output.mkdir(parents=True)
for module in sys.argv[3:]:
    extract(debug, output, module)
problems = sorted({problem for file in sorted(output.iterdir()) for problem in undocumented(adopt(file))})
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
