// SessionOutcome: an HTTP/2 session's result for a stream of bytes.

import TsubameCore
import TsubameWire

/// A session's event, in a form that must not depend on how the bytes were cut. A short response is reported in parts
/// like a long one, and the parts of a body are joined.
enum SessionEvent: Hashable, CustomStringConvertible {
    case informational(UInt32, Int, [String])
    case head(UInt32, Int, [String])
    case body(UInt32, [UInt8])
    case end(UInt32, [String])
    case reset(UInt32, UInt32)
    case failed(UInt32, CallError.Kind, String)
    case writable(UInt32?)
    case settings
    case goAway(UInt32, UInt32)

    static func body(_ stream: UInt32, _ text: String) -> SessionEvent { .body(stream, latin1(text)) }

    var description: String {
        switch self {
        case .informational(let stream, let status, let fields): "\(stream): informational \(status) \(fields)"
        case .head(let stream, let status, let fields): "\(stream): \(status) \(fields)"
        case .body(let stream, let bytes):
            "\(stream): \(bytes.count) bytes \(String(decoding: bytes.prefix(40), as: UTF8.self))"
        case .end(let stream, let trailers): "\(stream): end \(trailers)"
        case .reset(let stream, let code): "\(stream): reset \(code)"
        case .failed(let stream, let kind, let text): "\(stream): \(kind.rawValue): \(text)"
        case .writable(let stream): "writable \(stream.map(String.init) ?? "all")"
        case .settings: "settings"
        case .goAway(let last, let code): "GOAWAY \(last) \(code)"
        }
    }
}

/// A session's result for a stream of bytes.
struct SessionOutcome: Hashable, CustomStringConvertible {
    var events: [SessionEvent] = []
    var error: WireError?
    var sent: [SentFrame] = []
    /// The number of running streams.
    var running = 0

    var description: String { "\(events) error: \(error?.description ?? "none") sent: \(sent) running: \(running)" }
}
