// ServeCommand: `tsubame serve`: the embedded server.
#if Tool
import Dispatch
import HTTPBin

struct ServeCommand: ToolCommand {
    static let name = "serve"
    static let abstract = "Run the embedded httpbin-compatible server until it is interrupted."
    static let usage = ["[OPTION …]"]
    static let takesWords = false
    static let table = OptionTable<Self>(
        OptionGroup(
            "Options",
            [
                .value("host", "address", "The address to listen on.", shown: { $0.host }) { $0.host = $1 },
                .number("port", "n", "The TCP port to listen on; 0 is any free one.", shown: { "\($0.port)" }) {
                    $0.port = $1
                },
                .flag("tls", "Speak HTTPS, with a certificate for localhost made at the start and valid for a day.") {
                    $0.tls = true
                },
                .value(
                    "tls-ca", "file", completion: .file,
                    "Write the certificate of the authority that clients have to trust to this file; implies --tls."
                ) { $0.tlsCa = $1 },
                .help,
            ]))

    var words: [String] = []
    private var host = "127.0.0.1"
    private var port = 8080
    private var tls = false
    private var tlsCa: String?

    func validate() throws(UsageProblem) {
        guard (0...65_535).contains(port) else { throw UsageProblem("--port is a number from 0 to 65535.") }
    }

    func run() throws -> ExitStatus {
        var tls: HTTPBin.Identity?
        if self.tls || tlsCa != nil {
            guard let identity = try identity() else { return .failure }
            tls = identity
        }
        let settings = HTTPBin(host: host, port: port, tls: tls)
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
    /// - Returns: nil if that failed, which has been told.
    private func identity() throws -> HTTPBin.Identity? {
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
            return nil
        }
    }
}

#endif
