// Demo: the five jobs, one after the other, on a server of their own.
#if Tool

enum Demo {
    /// - Parameters:
    ///   - flip: the number of a comparison whose expectation is made wrong.
    ///   - lose: the number of a request of which the server does not tell.
    /// - Returns: a failure if anything that was received differs from what is expected.
    static func run(flip: Int?, lose: Int?) async throws -> ExitStatus {
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
    }
}

#endif
