// Demo: runs the five jobs one after the other, against an embedded server.

enum Demo {
    /// - Parameters:
    ///   - flip: the number of a comparison whose expectation is falsified.
    ///   - lose: the number of a request that the server does not report.
    /// - Returns: a failure if anything that the server received differs from the expectation.
    static func run(flip: Int?, lose: Int?) async throws -> ExitStatus {
        #if Server
        let ledger = DemoLedger(flip: flip)
        let server = try await DemoServer(losing: lose)
        ledger.write("The embedded server listens at \(server.url).")
        let jobs: [() async throws -> Void] = [
            KeyValueDemo(server, ledger).run, LoginDemo(server, ledger).run, TimelineDemo(server, ledger).run,
            BlockDemo(server, ledger).run, ConnectorDemo(server, ledger).run,
        ]
        for job in jobs {
            do {
                try await job()
            } catch {
                ledger.fail("the job could not be done: \(error)")
            }
        }
        await server.stop()
        return ledger.close()
        #else
        throw MissingTrait(command: "tsubame demo", trait: "Server")
        #endif
    }
}
