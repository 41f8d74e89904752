// DemoCommand: `tsubame demo`, which runs the program tsubame-demo beside this one.

/// The demo shows notifications and decoded XML. Both need all of Foundation, which would make the tool eight times as
/// large and slower to start. So the demo is a program of its own.
struct DemoCommand: ToolCommand {
    static let name = "demo"
    static let abstract = "Do the jobs of five hand-written HTTP layers."
    static let usage = [""]
    static let takesWords = false
    static let table = OptionTable<Self>(
        OptionGroup(
            "Options",
            [
                .flag("inspect", "Show the calls live in a browser, as on a terminal, until Enter.") {
                    $0.inspect = true
                },
                .help,
                .number(
                    "flip", "n", isHidden: true, "Flip a bit in the expectation of this comparison, counted from 1."
                ) { $0.flip = $1 },
                .number("lose", "n", isHidden: true, "Lose the record of this request, counted from 1.") {
                    $0.lose = $1
                },
            ]))

    var words: [String] = []
    private var inspect = false
    private var flip: Int?
    private var lose: Int?

    func validate() throws(UsageProblem) {}

    func run() throws -> ExitStatus {
        var arguments: [String] = []
        if inspect { arguments.append("--inspect") }
        if let flip { arguments += ["--flip", "\(flip)"] }
        if let lose { arguments += ["--lose", "\(lose)"] }
        try SiblingProgram.become("tsubame-demo", arguments)
        throw MissingDemo()
    }
}

/// The error where the tool was installed, or built alone.
private struct MissingDemo: Error, CustomStringConvertible {
    let description =
        "The demo is a program of its own, tsubame-demo, which is not beside this one. "
        + "In the sources, `make demo` builds and runs it, with the package traits Server and XML."
}
