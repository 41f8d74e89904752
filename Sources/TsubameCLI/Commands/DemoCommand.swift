// DemoCommand: `tsubame demo`: what five old HTTP layers did, done by this library.
#if Tool
import ArgumentParser

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tsubame demo",
        abstract: "Do the jobs of five hand-written HTTP layers against the embedded server, and check every byte.",
        helpNames: .long)

    @Option(
        help: ArgumentHelp("Flip a bit in the expectation of this comparison, counted from 1.", visibility: .hidden))
    var flip: Int?

    @Option(help: ArgumentHelp("Lose the record of this request, counted from 1.", visibility: .hidden))
    var lose: Int?

    func run() throws {
        let (flip, lose) = (flip, lose)
        AsyncRun.run { try await Demo.run(flip: flip, lose: lose) }
    }
}

#endif
