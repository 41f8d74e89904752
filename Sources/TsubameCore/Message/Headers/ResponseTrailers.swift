// ResponseTrailers: the trailer fields of a response, which arrive after its body.

public import HTTPTypes
internal import Synchronization

/// The trailer fields of a response, for a ``Transport`` that supports them.
///
/// A transport makes one for a response, passes it to ``Response/init(status:headers:body:trailers:)``, and sets the
/// fields before it ends the body. ``Response/trailers`` then returns them.
public final class ResponseTrailers: Sendable {
    private let box = Mutex<HTTPFields?>(nil)

    /// Makes an object without fields.
    public init() {}

    package var fields: HTTPFields? { box.withLock { $0 } }

    /// Sets the fields that came after the body.
    public func set(_ fields: HTTPFields) { box.withLock { $0 = fields } }
}
