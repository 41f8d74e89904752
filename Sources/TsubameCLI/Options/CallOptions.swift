// CallOptions: the groups of options that decide how a request is sent.

import Tsubame

/// This type is not an option group itself. The parser would do everything for a group again for each group within it,
/// which would slow down each start.
struct CallOptions: Sendable {
    let repetition: RepetitionOptions
    let deadlines: DeadlineOptions
    let limits: LimitOptions
    let connection: ConnectionOptions
    let tls: TLSOptions
    let auth: AuthOptions
    let session: SessionOptions
    /// Whether the user may be asked for passwords.
    let mayPrompt: Bool

    init(
        repetition: RepetitionOptions = RepetitionOptions(), deadlines: DeadlineOptions,
        limits: LimitOptions = LimitOptions(), connection: ConnectionOptions, tls: TLSOptions, auth: AuthOptions,
        session: SessionOptions = SessionOptions(), mayPrompt: Bool
    ) {
        self.repetition = repetition
        self.deadlines = deadlines
        self.limits = limits
        self.connection = connection
        self.tls = tls
        self.auth = auth
        self.session = session
        self.mayPrompt = mayPrompt
    }

    /// - Parameter runs: the number of requests that the client serves.
    func apply(to configuration: inout Configuration, ofRuns runs: Int) {
        repetition.apply(to: &configuration, ofRuns: runs)
        deadlines.apply(to: &configuration.timeouts)
        limits.apply(to: &configuration)
        connection.apply(to: &configuration.connection)
    }
}
