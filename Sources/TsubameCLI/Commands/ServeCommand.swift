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

    @Flag(help: "Speak HTTPS, with a certificate for localhost that is made at the start and valid for a day.")
    var tls = false

    @Option(
        help: "Write the certificate of the authority that clients have to trust to this file; implies --tls.",
        completion: .file())
    var tlsCa: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535.") }
    }

    func run() throws {
        let settings = HTTPBin(host: host, port: port, tls: try tls || tlsCa != nil ? identity() : nil)
        let authorityFile = tlsCa
        AsyncRun.run {
            // Before anybody can know that the server runs, and end it.
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let sources = EndSignals.observe { end.yield() }
            let server = try await settings.start()
            try Descriptor.output.writeAll(server.url + "\n")
            if server.authority != nil {
                try Descriptor.output.writeAll("CA certificate: \(authorityFile ?? server.url + "/authority.pem")\n")
            }
            if Descriptor.errors.isTerminal { Diagnostics.say("listening; Ctrl-C ends it") }
            for await _ in ends { break }
            for source in sources { source.cancel() }
            await server.stop()
            return .ok
        }
    }

    /// Made for this machine's names and the one to listen on, its authority written where it was asked for.
    private func identity() throws -> HTTPBin.Identity {
        let known = HTTPBin.Identity.loopbackNames
        // Nobody calls a server by the address that stands for all of them.
        let isNew = !known.contains(host) && !["", "0.0.0.0", "::"].contains(host)
        do {
            let identity = try HTTPBin.Identity.make(for: known + (isNew ? [host] : []))
            if let tlsCa, let authority = identity.authority {
                let file = try OutputFile(tlsCa)
                try file.write(authority)
                try file.finish()
            }
            return identity
        } catch {
            Diagnostics.say("\(error)")
            throw ExitCode(ExitStatus.failure.rawValue)
        }
    }
}

#endif
