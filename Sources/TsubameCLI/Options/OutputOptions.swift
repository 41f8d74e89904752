// OutputOptions: the options about what is printed, how, and where to.
#if Tool
import ArgumentParser

struct OutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("p"), .long],
        help: ArgumentHelp(
            "What is printed: H and B are head and body of the request, h and b of the response. "
                + "hb on a terminal, else b; nothing if it is empty.",
            valueName: "HBhb"))
    var print: PrintParts?

    @Flag(name: [.short, .long], help: "Print everything: --print=HBhb.")
    var verbose = false

    @Flag(name: [.short, .long], help: "Print the response's head only, and do not read its body: --print=h.")
    var headers = false

    @Flag(name: [.short, .long], help: "Print the response's body only: --print=b.")
    var body = false

    @Option(
        help: "all: JSON is indented, text is in UTF-8 (on a terminal); none: as received, byte for byte (else).")
    var pretty: Pretty?

    @Option(name: [.short, .long], help: ArgumentHelp("Write into a file, once it is whole.", valueName: "file"))
    var output: String?

    @Flag(help: ArgumentHelp("Write the body as UTF-8, otherwise unchanged.", visibility: .hidden))
    var text = false

    func parts(isTerminal: Bool) -> PrintParts {
        if let print { return print }
        if verbose { return .all }
        if headers || body {
            return headers && body ? .response : headers ? .responseHead : .responseBody
        }
        return isTerminal ? .response : .responseBody
    }

    func style(isTerminal: Bool) -> OutputStyle {
        OutputStyle(pretty: pretty, isTerminal: isTerminal, textOnly: text)
    }
}

#endif
