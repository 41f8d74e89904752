// CallOptions: the groups of options that decide how a request is sent.

import Tsubame

/// Each command that sends requests has these groups, and offers some of them or all.
struct CallOptions: Sendable {
    var repetition = RepetitionOptions()
    var deadlines = DeadlineOptions()
    var limits = LimitOptions()
    var connection = ConnectionOptions()
    var tls = TLSOptions()
    var auth = AuthOptions()
    var session = SessionOptions()
    /// Whether the user may be asked for passwords.
    var mayPrompt = true

    func validate() throws(UsageProblem) {
        try repetition.validate()
        try limits.validate()
        try connection.validate()
        try tls.validate()
        try session.validate()
    }

    /// - Parameter runs: the number of requests that the client serves.
    func apply(to configuration: inout Configuration, ofRuns runs: Int) {
        repetition.apply(to: &configuration, ofRuns: runs)
        deadlines.apply(to: &configuration.timeouts)
        limits.apply(to: &configuration)
        connection.apply(to: &configuration.connection)
    }
}
