// ReplacementRules: which request a user's interceptor or hook may send in place of its own.

import TsubameCore

/// The rules for a request that a user's interceptor or hook sends in place of the one that it was given.
final class ReplacementRules: Sendable {
    private let allowedOrigins: Set<Origin>
    private let crossOriginFields: CrossOriginFields

    init(_ configuration: Configuration) {
        allowedOrigins = configuration.allowedOrigins
        crossOriginFields = CrossOriginFields(configuration)
    }

    /// At another origin, the request goes without the client's fields and credentials. A redirect of it starts again from
    /// this request, and not from the call's own.
    func adopt(_ request: Request, insteadOf given: Request) -> Request {
        var adopted = request
        // A request that was made anew does not know the client's secrets.
        if adopted.redaction != given.redaction { adopted.redaction = given.redaction }
        // Nor does it know that the call has left the client's origin.
        if given.isCrossOrigin, !adopted.isCrossOrigin { adopted.isCrossOrigin = true }
        // The client decodes the answers to its own offer only. A request made anew may have copied it.
        if given.undoesCodings {
            adopted.undoesCodings = request.headers[.acceptEncoding] == given.headers[.acceptEncoding]
        }
        guard let uri = request.uri, uri != given.uri else { return adopted }
        if uri.origin != given.uri?.origin, !allowedOrigins.contains(uri.origin) {
            adopted.isCrossOrigin = true
            crossOriginFields.stripCopied(&adopted, from: given)
        }
        adopted.entry = adopted
        return adopted
    }
}
