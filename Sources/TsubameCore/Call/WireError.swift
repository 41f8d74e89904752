// WireError: why a codec refused bytes. The engine turns it into a CallError.

/// The reason why bytes were refused, on receipt or before sending: the fault, and its place in the message.
package struct WireError: Error, Hashable, CustomStringConvertible {
    package let kind: CallError.Kind
    package let description: String

    package init(_ kind: CallError.Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    package static func invalid(_ what: String) -> WireError { WireError(.invalidResponse, what) }
    package static func incomplete(_ what: String) -> WireError { WireError(.incompleteResponse, what) }
    package static func limit(_ what: String) -> WireError { WireError(.limitExceeded, what) }
}
