// ContentReading: what kind of content a body is, as it says or as the user does.
#if Tool
import Tsubame

/// `--response-mime` and `--response-charset` are believed rather than the server.
struct ContentReading: Sendable {
    /// Type and subtype; nil for what the server says.
    var mime: String?
    /// nil for what the server says.
    var charset: String?

    /// The Content-Type to go by.
    func contentType(_ received: String?) -> String? {
        guard mime != nil || charset != nil else { return received }
        let type = received.flatMap { MediaType($0) }
        let essence = mime ?? type?.essence ?? "text/plain"
        let charset = charset ?? type?["charset"]
        return charset.map { "\(essence); charset=\($0)" } ?? essence
    }
}

#endif
