// ServerRun: one run of the embedded server, until a signal ends it.
#if Server
import Dispatch
import HTTPBin
#if Inspector
import TsubameInspector
#endif

struct ServerRun {
    let host: String
    let port: Int
    /// Whether the server speaks HTTPS.
    let tls: Bool
    /// The file for the CA certificate of clients.
    let authorityFile: String?
    /// Whether the inspector shows the requests.
    let isInspected: Bool

    func run() throws -> ExitStatus {
        var tls: HTTPBin.Identity?
        if self.tls || authorityFile != nil {
            guard let identity = try identity() else { return .failure }
            tls = identity
        }
        var settings = HTTPBin(host: host, port: port, tls: tls)
        #if Inspector
        let log = TrafficLog()
        if isInspected {
            let traffic = ServerTraffic(log)
            settings.onExchange = { traffic.take($0) }
        }
        let isInspected = isInspected
        #endif
        let authorityFile = authorityFile
        AsyncRun.run { [settings] in
            // Observed before anyone can know that the server runs and interrupt it.
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let sources = EndSignals.observe { _ in end.yield() }
            let server = try await settings.start()
            try Descriptor.output.writeAll(server.url + "\n")
            if server.authority != nil {
                try Descriptor.output.writeAll("CA certificate: \(authorityFile ?? server.url + "/authority.pem")\n")
            }
            #if Inspector
            let inspector = isInspected ? try await Inspector(log: log, showsSecrets: true) : nil
            if let inspector { Diagnostics.say("the inspector is at \(inspector.url)") }
            defer { withExtendedLifetime(inspector) {} }
            #endif
            if Descriptor.errors.isTerminal { Diagnostics.say("listening; Ctrl-C ends it") }
            for await _ in ends { break }
            for source in sources { source.cancel() }
            await server.stop()
            return .ok
        }
    }

    /// A new identity for this machine's names and the listening address. Writes the authority's certificate to
    /// ``authorityFile``.
    /// - Returns: nil after a failure, which this function has reported.
    private func identity() throws -> HTTPBin.Identity? {
        let known = HTTPBin.Identity.loopbackNames
        // A wildcard address is not a name by which clients call a server.
        let isNew = !known.contains(host) && !["", "0.0.0.0", "::"].contains(host)
        do {
            let identity = try HTTPBin.Identity.make(for: known + (isNew ? [host] : []))
            if let authorityFile, let authority = identity.authority {
                let file = try OutputFile(authorityFile)
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
