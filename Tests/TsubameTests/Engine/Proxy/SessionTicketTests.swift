// SessionTicketTests: the client offers no session of an earlier TLS handshake, neither to an origin nor to a proxy.

import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct SessionTicketTests {
    @Test(arguments: [TLSIdentity.Version.tls12, .tls13], [ProxyKind.http, .socks5, .https])
    func `BAD-INPUT 33: a second handshake resumes no session of the first`(
        _ version: TLSIdentity.Version, _ kind: ProxyKind
    ) async throws {
        let origin = try await ScriptedServer.start(tls: .localhost.with(versions: version...version)) { _ in
            .ok("hi", headers: [.connection: "close"]).then(.close)
        }
        try await proxying(origin, as: ["localhost:4433"], base: "https://localhost:4433", by: kind) {
            _, proxy, client in
            var sessions: [[UInt8]] = []
            for index in 0..<3 {
                // The response follows the tickets of the handshake, so the client has received these.
                #expect(try await client.get("x").text() == "hi")
                let hello = try ClientHello(record: proxy.tunnelled(index))
                #expect(hello.extensions[.preSharedKey] == nil)
                #expect(hello.extensions[.sessionTicket]?.isEmpty ?? true)
                #expect(hello.session.isEmpty || !sessions.contains(hello.session))
                sessions.append(hello.session)
            }
        }
    }
}

/// The first message of a client in a TLS handshake (RFC 8446 section 4.1.2).
private struct ClientHello {
    enum Extension: UInt16 {
        case sessionTicket = 35
        case preSharedKey = 41
    }

    struct Malformed: Error {}

    private(set) var session: [UInt8] = []
    private(set) var extensions: [Extension: [UInt8]] = [:]
    private var rest: ArraySlice<UInt8>

    init(record bytes: [UInt8]) throws {
        rest = bytes[...]
        // A handshake record that holds a ClientHello.
        guard try take(1) == [22] else { throw Malformed() }
        _ = try take(4)
        guard try take(1) == [1] else { throw Malformed() }
        // Its length, the version and the random number.
        _ = try take(3 + 2 + 32)
        session = try vector(1)
        _ = try vector(2)
        _ = try vector(1)
        var all = Self(rest: try vector(2)[...])
        while !all.rest.isEmpty {
            let kind = UInt16(try all.number(2))
            let content = try all.vector(2)
            if let kind = Extension(rawValue: kind) { extensions[kind] = content }
        }
    }

    private init(rest: ArraySlice<UInt8>) { self.rest = rest }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        guard rest.count >= count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private mutating func number(_ size: Int) throws -> Int { try take(size).reduce(0) { $0 << 8 | Int($1) } }

    /// Bytes whose length stands before them, in a number of `size` bytes.
    private mutating func vector(_ size: Int) throws -> [UInt8] { try take(try number(size)) }
}
