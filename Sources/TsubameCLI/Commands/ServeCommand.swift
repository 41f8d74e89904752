// ServeCommand: `tsubame serve`: the embedded server.
#if Tool
import ArgumentParser
import Dispatch
import HTTPBin

struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tsubame serve", abstract: "Run the embedded httpbin-compatible server until it is interrupted.",
        helpNames: .long)

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The TCP port to listen on; 0 is any free one.")
    var port = 8080

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535.") }
    }

    func run() throws {
        let settings = HTTPBin(host: host, port: port)
        AsyncRun.run {
            // Before anybody can know that the server runs, and end it.
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let sources = EndSignals.observe { end.yield() }
            let server = try await settings.start()
            try Descriptor.output.writeAll(server.url + "\n")
            if Descriptor.errors.isTerminal { Diagnostics.say("listening; Ctrl-C ends it") }
            for await _ in ends { break }
            for source in sources { source.cancel() }
            await server.stop()
            return .ok
        }
    }
}

#endif
