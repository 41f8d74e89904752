// ProxyHandshake: what is said to a proxy before the connection behind it can be used. No I/O.

package import TsubameCore

/// One conversation with a proxy: bytes in, bytes out, until the way is free or the proxy has refused. What comes of it
/// does not depend on how the proxy's bytes were cut.
package protocol ProxyHandshake: AnyObject {
    /// What is said first.
    var greeting: [UInt8] { get }
    /// Takes what the proxy said.
    /// - Parameter input: all that is unconsumed; what is consumed is removed from it.
    /// - Returns: what is to be said next, or that the way is free, or nil when more has to come.
    /// - Throws: kind `proxy` when the proxy refuses or does not speak its protocol.
    func receive(_ input: inout [UInt8]) throws(WireError) -> ProxyAnswer?
    /// Whether the proxy asked for an answer and has not begun to react to it: if the connection ends now, it is given on
    /// another one.
    var mayBeginAnew: Bool { get }
}

extension ProxyHandshake {
    package var mayBeginAnew: Bool { false }
}

package enum ProxyAnswer: Equatable {
    case send([UInt8])
    /// From here on the connection is to the origin.
    case free
    /// It is to be begun anew on another connection: the proxy asked for an answer, and ends this one.
    case elsewhere
}

extension WireError {
    static func proxy(_ what: String) -> WireError { WireError(.proxy, what) }
}
