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
        let settings = HTTPBin(host: host, port: port)
        let (speaksTLS, file) = (tls || tlsCa != nil, tlsCa)
        AsyncRun.run {
            var settings = settings
            if speaksTLS { settings.tls = try Self.identity(for: settings.host, writingAuthorityTo: file) }
            // Before anybody can know that the server runs, and end it.
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let sources = EndSignals.observe { end.yield() }
            let server = try await settings.start()
            try Descriptor.output.writeAll(server.url + "\n")
            if speaksTLS {
                try Descriptor.output.writeAll("CA certificate: \(file ?? server.url + "/authority.pem")\n")
            }
            if Descriptor.errors.isTerminal { Diagnostics.say("listening; Ctrl-C ends it") }
            for await _ in ends { break }
            for source in sources { source.cancel() }
            await server.stop()
            return .ok
        }
    }

    private static func identity(for host: String, writingAuthorityTo path: String?) throws -> HTTPBin.Identity {
        let known = HTTPBin.Identity.loopbackNames
        // Nobody calls a server by the address that stands for all of them.
        let isNew = !known.contains(host) && !["", "0.0.0.0", "::"].contains(host)
        let identity = try HTTPBin.Identity.make(for: known + (isNew ? [host] : []))
        if let path, let authority = identity.authority {
            let file = try OutputFile(path)
            try file.write(authority)
            try file.finish()
        }
        return identity
    }
}

#endif
