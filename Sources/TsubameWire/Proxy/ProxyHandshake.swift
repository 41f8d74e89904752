// ProxyHandshake: the exchange with a proxy before the connection through it can be used. It does no I/O.

package import TsubameCore

/// One exchange with a proxy: bytes in, bytes out, until the connection can be used or the proxy has refused. The
/// result does not depend on how the proxy's bytes were cut into reads.
package protocol ProxyHandshake: AnyObject {
    /// The bytes that the client sends first.
    var greeting: [UInt8] { get }
    /// Takes the bytes that the proxy sent.
    /// - Parameter input: all bytes that are not consumed yet. The method removes the bytes that it consumes.
    /// - Returns: the next step; nil if more bytes are needed.
    /// - Throws: kind `proxy` if the proxy refuses or does not speak its protocol.
    func receive(_ input: inout [UInt8]) throws(WireError) -> ProxyAnswer?
    /// Whether the proxy asked for an answer and has not begun to react to the answer. If the connection ends now, the
    /// answer is sent on another connection.
    var mayBeginAnew: Bool { get }
}

extension ProxyHandshake {
    package var mayBeginAnew: Bool { false }
}

package enum ProxyAnswer: Equatable {
    case send([UInt8])
    /// From here on, the connection leads to the origin.
    case free
    /// The handshake must begin anew on another connection: the proxy asked for an answer, but ends this connection.
    case elsewhere
}

extension WireError {
    static func proxy(_ what: String) -> WireError { WireError(.proxy, what) }
}
