// DemoCommand: `tsubame demo`, which does the jobs of five old HTTP layers with this library.

struct DemoCommand: ToolCommand {
    static let name = "demo"
    static let abstract =
        "Do the jobs of five hand-written HTTP layers against the embedded server, and check every byte."
    static let usage = [""]
    static let takesWords = false
    static let table = OptionTable<Self>(
        OptionGroup(
            "Options",
            [
                .help,
                .number(
                    "flip", "n", isHidden: true, "Flip a bit in the expectation of this comparison, counted from 1."
                ) { $0.flip = $1 },
                .number("lose", "n", isHidden: true, "Lose the record of this request, counted from 1.") {
                    $0.lose = $1
                },
            ]))

    var words: [String] = []
    private var flip: Int?
    private var lose: Int?

    func validate() throws(UsageProblem) {}

    func run() -> ExitStatus {
        let (flip, lose) = (flip, lose)
        AsyncRun.run { try await Demo.run(flip: flip, lose: lose) }
    }
}
