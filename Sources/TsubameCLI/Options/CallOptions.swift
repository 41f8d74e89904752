// CallOptions: the options about how a request is sent, by groups.
#if Tool
import Tsubame

/// No group of options itself: what the parser does for a group it does for all within it again, and a start would pay
/// for that.
struct CallOptions: Sendable {
    let repetition: RepetitionOptions
    let deadlines: DeadlineOptions
    let connection: ConnectionOptions
    let tls: TLSOptions
    let auth: AuthOptions
    let session: SessionOptions

    /// - Parameter runs: how many requests the client is for.
    func apply(to configuration: inout Configuration, ofRuns runs: Int) {
        repetition.apply(to: &configuration, ofRuns: runs)
        deadlines.apply(to: &configuration.timeouts)
        connection.apply(to: &configuration.connection)
    }
}

#endif
