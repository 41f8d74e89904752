// ProxyMessages: the messages of a client to a proxy, and the proxy's possible answers.

import Foundation
import TsubameCore
import TsubameTesting

/// The kinds of proxies that a client can use, named by the schemes of their URLs.
enum ProxyKind: String, Sendable, CaseIterable {
    case http, https, socks4, socks4a, socks5, socks5h

    var isSOCKS: Bool { self != .http && self != .https }
    /// The form in which the client asks this kind of proxy for a tunnel.
    var form: ProxyRequest.Form {
        switch self {
        case .http, .https: .connect
        case .socks4: .socks4
        case .socks4a: .socks4a
        case .socks5, .socks5h: .socks5
        }
    }
}

/// A client's request to a proxy.
struct ProxyRequest: Sendable {
    enum Form: String, Sendable {
        /// A request with an absolute target (RFC 9112 section 3.2.2).
        case forward
        case connect, socks4, socks4a, socks5

        /// The proxy's answer when the tunnel is established.
        var success: [UInt8] {
            switch self {
            case .forward: []
            case .connect: Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
            case .socks4, .socks4a: [0, 0x5A, 0, 0, 0, 0, 0, 0]
            case .socks5: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
            }
        }

        /// The proxy's answer when it cannot reach the target.
        var unreachable: [UInt8] {
            switch self {
            case .forward, .connect: Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8)
            case .socks4, .socks4a: [0, 0x5B, 0, 0, 0, 0, 0, 0]
            case .socks5: [5, 4, 0, 1, 0, 0, 0, 0, 0, 0]
            }
        }

        /// The proxy's answer to unknown credentials; SOCKS5 has asked for them before.
        var unauthorized: [UInt8] {
            switch self {
            case .forward, .connect:
                Array(
                    ("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\n"
                        + "Content-Length: 0\r\n\r\n").utf8)
            case .socks4, .socks4a: [0, 0x5D, 0, 0, 0, 0, 0, 0]
            case .socks5: [5, 2, 0, 1, 0, 0, 0, 0, 0, 0]
            }
        }
    }

    /// The position in the order of arrival over all connections, from 0.
    var index = 0
    /// The number of the connection, in the order in which the proxy accepted them, from 0.
    var connection = 0
    let form: Form
    /// `host:port` as the client named them; an IPv6 address in brackets and in full.
    let target: String
    /// Request line and fields with the empty line after them; empty for SOCKS.
    var head = ""
    var fields: [ReceivedRequest.Field] = []
    var user: String?
    var password: String?

    /// The value of the first field with this name, in any case.
    subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// A moment at which a proxy acts.
enum ProxyMoment: Sendable {
    /// A connection has been accepted, and no byte has been read, not even of TLS.
    case accepted
    /// The methods that a SOCKS5 client offers.
    case methods([UInt8])
    case credentials(user: String, password: String)
    case request(ProxyRequest)
}

/// An action of the proxy in place of its usual one. Afterwards the proxy continues as if it had acted as usual.
enum ProxyStep: Sendable {
    case bytes([UInt8])
    /// Sends each byte in a separate write.
    case drip([UInt8])
    /// Sends the bytes again and again until the connection ends.
    case endless([UInt8])
    case wait(Gate)
    /// Connects to the target, and relays the bytes of both sides.
    case relay
    case stall
    case close
    case reset

    static func text(_ text: String) -> ProxyStep { .bytes(Array(text.utf8)) }
}

/// Reads the messages of RFC 1928, RFC 1929 and SOCKS 4; nil means that more bytes are needed.
struct SOCKSReader {
    private var rest: ArraySlice<UInt8>
    private let count: Int

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
        count = bytes.count
    }

    /// The number of bytes that have been read.
    var length: Int { count - rest.count }

    private mutating func byte() -> UInt8? { rest.popFirst() }

    private mutating func bytes(_ count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private mutating func text(_ count: Int) -> String? { bytes(count).map { String(decoding: $0, as: UTF8.self) } }

    /// The text up to a NUL, which is consumed too.
    private mutating func terminated() -> String? {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    private mutating func port() -> Int? { bytes(2).map { Int($0[0]) << 8 | Int($0[1]) } }

    mutating func methods() -> [UInt8]? {
        guard byte() != nil, let count = byte() else { return nil }
        return bytes(Int(count))
    }

    mutating func credentials() -> (user: String, password: String)? {
        guard byte() != nil, let userCount = byte(), let user = text(Int(userCount)), let count = byte(),
            let password = text(Int(count))
        else { return nil }
        return (user, password)
    }

    mutating func request5() -> ProxyRequest? {
        guard let start = bytes(4) else { return nil }
        let host: String?
        switch start[3] {
        case 1: host = bytes(4)?.map(String.init).joined(separator: ".")
        case 4:
            host = bytes(16).map { address in
                let groups = stride(from: 0, to: 16, by: 2).map { Int(address[$0]) << 8 | Int(address[$0 + 1]) }
                return "[" + groups.map { String($0, radix: 16) }.joined(separator: ":") + "]"
            }
        default:
            guard let count = byte() else { return nil }
            host = text(Int(count))
        }
        guard let host, let port = port() else { return nil }
        return ProxyRequest(form: .socks5, target: "\(host):\(port)")
    }

    mutating func request4() -> ProxyRequest? {
        guard bytes(2) != nil, let port = port(), let address = bytes(4), let user = terminated() else { return nil }
        guard address.starts(with: [0, 0, 0]), address[3] != 0 else {
            let host = address.map(String.init).joined(separator: ".")
            return ProxyRequest(form: .socks4, target: "\(host):\(port)", user: user)
        }
        guard let host = terminated() else { return nil }
        return ProxyRequest(form: .socks4a, target: "\(host):\(port)", user: user)
    }
}

/// The value of `Proxy-Authorization` and `Authorization` (RFC 7617).
func basic(_ credentials: String) -> String { "Basic " + Data(credentials.utf8).base64EncodedString() }
