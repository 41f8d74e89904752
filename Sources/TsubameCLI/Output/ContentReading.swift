// ContentReading: the content type of a body, from the server or from the user.

import Tsubame

/// `--response-mime` and `--response-charset` override the server.
struct ContentReading: Sendable {
    /// Type and subtype; nil to use the server's.
    var mime: String?
    /// The charset; nil to use the server's.
    var charset: String?

    /// The Content-Type by which the body is read.
    func contentType(_ received: String?) -> String? {
        guard mime != nil || charset != nil else { return received }
        let type = received.flatMap { MediaType($0) }
        // A user who names a charset knows that the bytes are text.
        let known = charset != nil && type?.essence == "application/octet-stream" ? nil : type?.essence
        let essence = mime ?? known ?? "text/plain"
        let charset = charset ?? type?["charset"]
        return charset.map { "\(essence); charset=\($0)" } ?? essence
    }
}
