// Demo: the five jobs, one after the other, on a server of their own.
#if Tool

enum Demo {
    /// - Parameter flip: the number of a comparison whose expectation is made wrong.
    /// - Returns: a failure if anything that was received differs from what is expected.
    static func run(flip: Int?) async throws -> ExitStatus {
        let ledger = DemoLedger(flip: flip)
        let server = try await DemoServer()
        ledger.write("The embedded server listens at \(server.url).")
        try await KeyValueDemo(server, ledger).run()
        try await LoginDemo(server, ledger).run()
        try await TimelineDemo(server, ledger).run()
        try await BlockDemo(server, ledger).run()
        try await ConnectorDemo(server, ledger).run()
        await server.stop()
        return ledger.close()
    }
}

#endif
