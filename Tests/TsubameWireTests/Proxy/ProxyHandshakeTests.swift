// ProxyHandshakeTests: the messages to proxies and their responses: SOCKS 5 (RFC 1928, 1929), SOCKS 4 and 4A, CONNECT
// (RFC 9110 section 9.3.6).

import Testing
import TsubameCore
import TsubameWire

/// The client's side of a handshake, made anew for each way in which the proxy's bytes are cut.
struct ProxySide: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable () throws -> any ProxyHandshake
    /// The proxy's bytes that grant the tunnel.
    let accepted: [UInt8]

    var testDescription: String { name }

    static let bound: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0x1F, 0x90]

    static let socks5 = ProxySide(
        name: "SOCKS 5",
        make: { try SOCKS5Handshake(host: "a.example", address: nil, port: 443, credentials: nil) },
        accepted: [5, 0] + bound)
    static let socks5WithPassword = ProxySide(
        name: "SOCKS 5 with a password",
        make: {
            try SOCKS5Handshake(host: "a.example", address: nil, port: 443, credentials: ("user", "s3cret"))
        }, accepted: [5, 2, 1, 0] + bound)
    static let socks4 = ProxySide(
        name: "SOCKS 4",
        make: { try SOCKS4Handshake(host: "192.0.2.1", address: [192, 0, 2, 1], port: 443, user: "user") },
        accepted: [0, 90, 0, 0, 0, 0, 0, 0])
    static let connect = ProxySide(
        name: "CONNECT",
        make: { ConnectHandshake(authority: "a.example:443", authorization: nil, limits: Limits()) },
        accepted: latin1("HTTP/1.1 200 Connection established\r\n\r\n"))
    static let all = [socks5, socks5WithPassword, socks4, connect]

    /// The result of a handshake, in a form that must not depend on how the proxy's bytes were cut.
    struct Outcome: Equatable, CustomStringConvertible {
        /// The messages to the proxy after the greeting.
        var sent: [[UInt8]] = []
        var isFree = false
        var isElsewhere = false
        var error: WireError?
        /// The bytes that the handshake did not consume.
        var rest: [UInt8] = []

        var description: String {
            let end =
                error.map { "\($0.kind.rawValue): \($0)" } ?? (isFree ? "free" : isElsewhere ? "elsewhere" : "not over")
            return "\(end), said \(sent), left \(rest)"
        }
    }

    /// - Parameter cuts: the positions at which the bytes are cut into reads.
    func converse(_ bytes: [UInt8], cuts: some Sequence<Int>) throws -> Outcome {
        let handshake = try make()
        var outcome = Outcome()
        var input: [UInt8] = []
        var start = 0
        var ends = Array(cuts)
        ends.append(bytes.count)
        for end in ends where end > start {
            input += bytes[start..<end]
            start = end
            do throws(WireError) {
                while !outcome.isFree, !outcome.isElsewhere, let answer = try handshake.receive(&input) {
                    switch answer {
                    case .send(let message): outcome.sent.append(message)
                    case .free: outcome.isFree = true
                    case .elsewhere: outcome.isElsewhere = true
                    }
                }
            } catch {
                outcome.error = error
            }
            if outcome.isFree || outcome.isElsewhere || outcome.error != nil { break }
        }
        outcome.rest = input + bytes[start...]
        return outcome
    }

    /// Feeds the bytes in one read.
    func converse(_ bytes: [UInt8]) throws -> Outcome { try converse(bytes, cuts: []) }

    /// Feeds the bytes in one read, in two at every position, and in reads of one byte. The outcome must be the same.
    func converseInEveryWay(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws -> Outcome {
        let whole = try converse(bytes)
        for cut in 1..<max(bytes.count, 1) {
            let outcome = try converse(bytes, cuts: [cut])
            guard outcome == whole else {
                Issue.record("cut at \(cut): \(outcome), whole: \(whole)", sourceLocation: sourceLocation)
                break
            }
        }
        let bytewise = try converse(bytes, cuts: 1..<max(bytes.count, 1))
        #expect(bytewise == whole, "byte by byte", sourceLocation: sourceLocation)
        return whole
    }

    func converseInEveryWay(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Outcome {
        try converseInEveryWay(latin1(text), sourceLocation: sourceLocation)
    }
}

@Suite(.timeLimit(.minutes(1))) struct ProxyHandshakeTests {
    private func refused(
        _ side: ProxySide, _ bytes: [UInt8], _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try side.converseInEveryWay(bytes, sourceLocation: sourceLocation)
        #expect(outcome.error?.kind == .proxy, "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.error?.description.contains(words) == true, "\(outcome)", sourceLocation: sourceLocation)
        #expect(!outcome.isFree, sourceLocation: sourceLocation)
    }

    @Test(arguments: ProxySide.all)
    func `the way is free once the proxy has said so, and not a byte before`(_ side: ProxySide) throws {
        let outcome = try side.converseInEveryWay(side.accepted)
        #expect(outcome.isFree && outcome.error == nil && outcome.rest.isEmpty, "\(outcome)")
        for count in 0..<side.accepted.count {
            let part = try side.converse(Array(side.accepted.prefix(count)))
            #expect(!part.isFree && part.error == nil, "after \(count) bytes: \(part)")
        }
    }

    @Test(arguments: ProxySide.all)
    func `what the proxy says behind that is left where it is, and the way stays free`(_ side: ProxySide) throws {
        let more: [UInt8] = [0, 5, 0x48, 0x0D, 0x0A, 0xFF]
        let outcome = try side.converseInEveryWay(side.accepted + more)
        #expect(outcome.isFree && outcome.rest == more, "\(outcome)")
        let handshake = try side.make()
        var input = side.accepted + more
        while let answer = try handshake.receive(&input), answer != .free {}
        let again = try handshake.receive(&input)
        #expect(again == .free && input == more)
    }

    // MARK: SOCKS 5

    @Test func `SOCKS 5 without credentials offers to go without them, and names the host`() throws {
        #expect(try ProxySide.socks5.make().greeting == [5, 1, 0])
        let outcome = try ProxySide.socks5.converseInEveryWay(ProxySide.socks5.accepted)
        #expect(outcome.sent == [[5, 1, 0, 3, 9] + latin1("a.example") + [1, 0xBB]])
    }

    @Test func `SOCKS 5 with credentials offers both, and shows them to a proxy that wants them`() throws {
        let side = ProxySide.socks5WithPassword
        #expect(try side.make().greeting == [5, 2, 0, 2])
        let request = [5, 1, 0, 3, 9] + latin1("a.example") + [1, 0xBB]
        let asked = try side.converseInEveryWay(side.accepted)
        #expect(asked.sent == [[1, 4] + latin1("user") + [6] + latin1("s3cret"), request])
        // A proxy that does not ask gets no credentials.
        let unasked = try side.converseInEveryWay([5, 0] + ProxySide.bound)
        #expect(unasked.sent == [request] && unasked.isFree)
    }

    @Test func `a target is named as a name, as four bytes or as sixteen`() throws {
        let literal6: [UInt8] = [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        let longest = String(repeating: "x", count: 255)
        for (host, address, target) in [
            ("192.0.2.7", [192, 0, 2, 7], [1, 192, 0, 2, 7]), ("2001:db8::1", literal6, [4] + literal6),
            (longest, nil, [3, 255] + latin1(longest)),
        ] as [(String, [UInt8]?, [UInt8])] {
            let side = ProxySide(
                name: host,
                make: { try SOCKS5Handshake(host: host, address: address, port: 0x1F90, credentials: nil) },
                accepted: ProxySide.socks5.accepted)
            let outcome = try side.converseInEveryWay(side.accepted)
            #expect(outcome.sent == [[5, 1, 0] + target + [0x1F, 0x90]], "\(host)")
            #expect(outcome.isFree)
        }
    }

    @Test(
        arguments: [
            [1, 0, 0, 0, 0], [1, 255, 255, 255, 255], [3, 0], [3, 1, 0x78],
            [3, 255] + Array(repeating: 0x78, count: 255),
            [4] + Array(repeating: 0xAB, count: 16),
        ] as [[UInt8]])
    func `the proxy may be bound to an address of any kind`(_ address: [UInt8]) throws {
        let outcome = try ProxySide.socks5.converseInEveryWay([5, 0, 5, 0, 0] + address + [0x1F, 0x90, 0x2A])
        #expect(outcome.isFree && outcome.rest == [0x2A], "\(outcome)")
    }

    @Test func `every refusal of SOCKS 5 is told in words, by its code, even if nothing follows it`() throws {
        let known: [UInt8: String] = [
            1: "general failure", 2: "rules do not allow", 3: "reach the network", 4: "reach the host", 5: "refused",
            6: "time to live", 7: "command", 8: "kind of address",
        ]
        var texts: Set<String> = []
        for code in UInt8(1)...255 {
            let words = known[code] ?? "unknown reply \(code)"
            try refused(.socks5, [5, 0, 5, code], words)
            let whole = try ProxySide.socks5.converse([5, 0, 5, code, 0, 1, 0, 0, 0, 0, 0, 0])
            let text = try #require(whole.error?.description)
            #expect(text.contains(words))
            texts.insert(text)
        }
        #expect(texts.count == 255)
    }

    @Test func `a method that was not offered is refused, and shown nothing`() throws {
        for choice in UInt8(0)...255 where choice != 0 {
            let words = choice == 0xFF ? "wants a user and a password" : "not offered (\(choice))"
            try refused(.socks5, [5, choice], words)
            guard choice != 2 else { continue }
            try refused(
                .socks5WithPassword, [5, choice], choice == 0xFF ? "neither a user" : "not offered (\(choice))")
            #expect(try ProxySide.socks5WithPassword.converse([5, choice]).sent.isEmpty)
        }
    }

    @Test(arguments: [1, 2, 255] as [UInt8])
    func `credentials that are refused are a refusal, and the target is not named`(_ status: UInt8) throws {
        let side = ProxySide.socks5WithPassword
        try refused(side, [5, 2, 1, status], "refuses the user or the password")
        #expect(try side.converse([5, 2, 1, status] + ProxySide.bound).sent.count == 1)
    }

    @Test(
        arguments: [
            [4], [0], [0x48, 0x54], [0x15, 3, 3, 0, 2, 2, 0x46], [5, 0, 4, 0, 0], [5, 0, 0, 90, 0, 0], [5, 0, 0x48],
            [5, 0, 5, 0, 0, 0, 0], [5, 0, 5, 0, 0, 2, 0], [5, 0, 5, 0, 0, 5, 0], [5, 0, 5, 0, 0, 255, 255],
        ] as [[UInt8]])
    func `what is no answer of SOCKS 5 is not taken for one`(_ bytes: [UInt8]) throws {
        try refused(.socks5, bytes, "does not speak SOCKS 5")
    }

    @Test func `what SOCKS 5 has no room for is an invalid request, and what just fits is not`() throws {
        let (long, longest) = (String(repeating: "x", count: 256), String(repeating: "x", count: 255))
        for (host, user, password) in [
            (long, "u", "p"), ("a.example", long, "p"), ("a.example", "u", long),
            // 128 characters, 256 bytes.
            ("a.example", String(repeating: "ü", count: 128), "p"),
        ] {
            let error = #expect(throws: WireError.self) {
                try SOCKS5Handshake(host: host, address: nil, port: 1, credentials: (user, password))
            }
            #expect(error?.kind == .invalidRequest)
        }
        for (user, password) in [(longest, longest), ("u", ""), ("", "")] {
            let handshake = try SOCKS5Handshake(
                host: longest, address: nil, port: 1, credentials: (user, password))
            var input: [UInt8] = [5, 2]
            let answer = try handshake.receive(&input)
            let lengths = (user: UInt8(user.utf8.count), password: UInt8(password.utf8.count))
            let shown: [UInt8] = [1, lengths.user] + latin1(user) + [lengths.password] + latin1(password)
            #expect(answer == .send(shown))
        }
    }

    // MARK: SOCKS 4

    @Test func `SOCKS 4 names an address, and 4A the host behind an impossible one`() throws {
        let plain = try SOCKS4Handshake(host: "192.0.2.1", address: [192, 0, 2, 1], port: 0x1F90, user: "")
        #expect(plain.greeting == [4, 1, 0x1F, 0x90, 192, 0, 2, 1, 0])
        let named = try SOCKS4Handshake(host: "a.example", address: nil, port: 80, user: "user")
        #expect(named.greeting == [4, 1, 0, 80, 0, 0, 0, 1] + latin1("user") + [0] + latin1("a.example") + [0])
    }

    @Test func `SOCKS 4 has no room for an IPv6 address, nor for a user with a zero byte`() throws {
        let rows: [([UInt8], String)] = [(Array(repeating: 0, count: 16), "user"), ([192, 0, 2, 1], "us\u{0}er")]
        for (address, user) in rows {
            let error = #expect(throws: WireError.self) {
                try SOCKS4Handshake(host: "a.example", address: address, port: 80, user: user)
            }
            #expect(error?.kind == .invalidRequest)
        }
    }

    @Test func `every reply of SOCKS 4 but one is a refusal, even if nothing follows it`() throws {
        let known: [UInt8: String] = [91: "refuses the connection", 92: "refuses the user", 93: "refuses the user"]
        for code in UInt8(0)...255 where code != 90 {
            try refused(.socks4, [0, code], known[code] ?? "unknown reply \(code)")
        }
        // The address at which the proxy is bound has no effect.
        let outcome = try ProxySide.socks4.converseInEveryWay([0, 90, 0x1F, 0x90, 192, 0, 2, 9, 0x2A])
        #expect(outcome.isFree && outcome.rest == [0x2A])
    }

    @Test(arguments: [[4, 90], [5, 0], [0x48, 0x54, 0x54, 0x50], [90]] as [[UInt8]])
    func `what is no answer of SOCKS 4 is not taken for one`(_ bytes: [UInt8]) throws {
        try refused(.socks4, bytes, "does not speak SOCKS 4")
    }

    // MARK: CONNECT

    @Test func `BAD-INPUT 35: CONNECT carries the target, Host, and the proxy's credentials, and nothing else`() {
        let plain = ConnectHandshake(authority: "a.example:443", authorization: nil, limits: Limits())
        #expect(plain.greeting == latin1("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"))
        let known = ConnectHandshake(authority: "[::1]:8443", authorization: "Basic dTpw", limits: Limits())
        #expect(
            known.greeting
                == latin1("CONNECT [::1]:8443 HTTP/1.1\r\nHost: [::1]:8443\r\nProxy-Authorization: Basic dTpw\r\n\r\n"))
    }

    @Test(
        "BAD-INPUT 35: a 2xx makes the way free, and the length that it declares is ignored",
        arguments: [
            "HTTP/1.1 200 OK", "HTTP/1.0 200 Connection established\r\nProxy-agent: x/1.0", "HTTP/1.1 200",
            "HTTP/1.1 201 Created\r\nContent-Length: 5", "HTTP/1.1 204 No Content\r\nContent-Length: 5",
            "HTTP/1.1 299 Fine\r\nTransfer-Encoding: chunked", "HTTP/1.1 200 OK\r\nConnection: close",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity", "HTTP/1.1 200 OK\r\nContent-Length: ",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2",
        ])
    func success(head: String) throws {
        let outcome = try ProxySide.connect.converseInEveryWay(head + "\r\n\r\nhello")
        #expect(outcome.isFree && outcome.error == nil, "\(outcome)")
        #expect(outcome.rest == latin1("hello"))
    }

    @Test func `informational answers come before the answer`() throws {
        let outcome = try ProxySide.connect.converseInEveryWay(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello")
        #expect(outcome.isFree && outcome.rest == latin1("hello"), "\(outcome)")
        try refused(.connect, latin1("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 403 Forbidden\r\n\r\n"), "403 Forbidden")
    }

    @Test(arguments: [
        ("HTTP/1.1 502 Bad Gateway", "refuses the tunnel (502 Bad Gateway)"),
        ("HTTP/1.1 502", "refuses the tunnel (502)"), ("HTTP/1.1 302 Found\r\nLocation: /", "(302 Found)"),
        ("HTTP/1.0 403 No\r\nContent-Length: 2", "(403 No)"), ("HTTP/1.1 999 What", "(999 What)"),
        ("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic", "credentials"),
        ("HTTP/1.1 407", "(407)"), ("HTTP/1.1 304 Not Modified", "(304 Not Modified)"),
    ])
    func `every other status is a refusal, with what the proxy says of it`(_ head: String, _ words: String) throws {
        try refused(.connect, latin1(head + "\r\n\r\nno"), words)
    }

    @Test(
        "what is no HTTP is not taken for it",
        arguments: [
            "SSH-2.0-OpenSSH_9.2p1\r\n", "<html><body>no</body></html>", "HTTP/2 200\r\n\r\n",
            "HTTP/2.0 200 OK\r\n\r\n",
            // A binary protocol may send no line feed, so two dozen bytes are enough for a refusal.
            String(repeating: "\u{5}\u{0}", count: 12), "\u{16}\u{3}\u{3}" + String(repeating: "\u{0}", count: 21),
            "\r\nHTTP/1.1 200 OK\r\n\r\n", " HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\r\n",
        ])
    func garbage(text: String) throws {
        try refused(.connect, latin1(text), "does not answer as an HTTP proxy")
    }

    @Test func `BAD-INPUT 20: no text of a proxy's brings control characters into an error`() throws {
        for text in [
            "HTTP/1.1 502 Bad\u{1B}[31m\r\n\r\n", "HTTP/1.1 502 a\u{8}b\u{7F}\r\n\r\n", "\u{1B}[2J\u{7}\r\n\r\n",
            "HTTP/1.1 502 a\rb\r\n\r\n",
        ] {
            let outcome = try ProxySide.connect.converseInEveryWay(text)
            let error = try #require(outcome.error, "\(text.debugDescription)")
            #expect(error.kind == .proxy && !error.description.holdsControlCharacter, "\(error)")
        }
    }

    @Test(
        "BAD-INPUT 16: a head that never ends is given up at its limit",
        arguments: [
            ("HTTP/1.1 200 OK\r\n", "X: y\r\n", "limits.headBytes"),
            ("HTTP/1.1 200 OK\r\nX: ", "y", "limits.lineBytes"), ("HTTP/1.1 200 ", "y", "limits.lineBytes"),
            ("", "HTTP/1.1 102 Processing\r\n\r\n", "limits.informationalResponses"),
        ])
    func endlessHead(start: String, piece: String, limit: String) throws {
        var limits = Limits()
        (limits.headBytes, limits.lineBytes, limits.informationalResponses) = (4_096, 1_024, 8)
        let handshake = ConnectHandshake(authority: "a.example:443", authorization: nil, limits: limits)
        var input = latin1(start)
        var fed = input.count
        var refusal: WireError?
        while refusal == nil, fed < 65_536 {
            input += latin1(piece)
            fed += piece.utf8.count
            do throws(WireError) {
                if let answer = try handshake.receive(&input) { Issue.record("\(answer)") }
            } catch {
                refusal = error
            }
        }
        #expect(refusal?.kind == .proxy)
        #expect(refusal?.description.contains(limit) == true, "\(refusal?.description ?? "none")")
        #expect(fed <= 4_096 + piece.utf8.count)
    }

    @Test func `fields beyond their number are given up too`() throws {
        var limits = Limits()
        limits.headFields = 10
        let given = limits
        let side = ProxySide(
            name: "CONNECT",
            make: { ConnectHandshake(authority: "a.example:443", authorization: nil, limits: given) }, accepted: [])
        let fields = String(repeating: "X: y\r\n", count: 10)
        #expect(try side.converseInEveryWay("HTTP/1.1 200 OK\r\n\(fields)\r\n").isFree)
        try refused(side, latin1("HTTP/1.1 200 OK\r\n\(fields)X: y\r\n\r\n"), "limits.headFields")
    }

    // MARK: Challenges

    /// Answers a number of challenges; each response holds its number.
    /// Used by one handshake at a time.
    private final class Answers: ProxyAuthorizer, @unchecked Sendable {
        private let most: Int
        private(set) var asked: [[String]] = []
        private(set) var told: [[String]] = []

        init(_ most: Int) { self.most = most }

        func answer(_ challenges: [String]) -> String? {
            asked.append(challenges)
            return asked.count <= most ? "Answer \(asked.count)" : nil
        }

        func take(_ information: [String]) { told.append(information) }
    }

    private func challenged(_ answers: Int = 1) -> ProxySide {
        ProxySide(
            name: "CONNECT with answers",
            make: {
                ConnectHandshake(
                    authority: "a.example:443", authorization: nil, credentials: Answers(answers), limits: Limits())
            }, accepted: [])
    }

    private func request(_ number: Int) -> [UInt8] {
        latin1(
            "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\nProxy-Authorization: Answer \(number)\r\n\r\n")
    }

    private static let success = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

    @Test(
        "a challenge is answered on the same connection, once its answer has been read",
        arguments: [
            "Content-Length: 0\r\n\r\n", "Content-Length: 5\r\n\r\nwhom?",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nwhom?\r\n0\r\nX: y\r\n\r\n",
        ])
    func challenge(rest: String) throws {
        let outcome = try challenged().converseInEveryWay("HTTP/1.1 407 Who\r\n\(rest)\(Self.success)hello")
        #expect(outcome.sent == [request(1)] && outcome.isFree, "\(outcome)")
        #expect(outcome.rest == latin1("hello"))
    }

    @Test(
        "a challenge whose connection ends is answered on another one",
        arguments: [
            "HTTP/1.1 407 Who\r\n\r\nwhom?", "HTTP/1.0 407 Who\r\nContent-Length: 5\r\n\r\nwhom?",
            "HTTP/1.1 407 Who\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 407 Who\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 70_000),
        ])
    func elsewhere(text: String) throws {
        let outcome = try challenged().converse(latin1(text), cuts: stride(from: 1, to: text.utf8.count, by: 997))
        #expect(outcome.isElsewhere && outcome.sent.isEmpty, "\(outcome.isFree) \(outcome.error?.description ?? "")")
    }

    @Test func `challenges are answered as often as there is an answer`() throws {
        let refusal = "HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n"
        let outcome = try challenged(2).converseInEveryWay(refusal + refusal + refusal)
        #expect(outcome.sent == [request(1), request(2)])
        #expect(outcome.error?.description.contains("(407)") == true)
        let freed = try challenged(2).converseInEveryWay(refusal + refusal + Self.success)
        #expect(freed.sent.count == 2 && freed.isFree)
    }

    @Test func `the answers are asked for with what the proxy said, and told what it says behind them`() throws {
        let answers = Answers(1)
        let handshake = ConnectHandshake(
            authority: "a.example:443", authorization: nil, credentials: answers, limits: Limits())
        var input = latin1(
            "HTTP/1.1 407 Who\r\nProxy-Authenticate: A\r\nProxy-Authenticate: B b=c\r\nContent-Length: 3\r\n\r\nw")
        #expect(try handshake.receive(&input) == nil)
        #expect(handshake.mayBeginAnew)
        input += latin1("ho")
        #expect(try handshake.receive(&input) == .send(request(1)))
        // The handshake has not answered that yet.
        #expect(try handshake.receive(&input) == nil)
        #expect(handshake.mayBeginAnew)
        input += latin1("HTTP/1.1 200 OK\r\n")
        #expect(try handshake.receive(&input) == nil)
        #expect(!handshake.mayBeginAnew)
        input += latin1("Proxy-Authentication-Info: nextnonce=\"n\"\r\n\r\n")
        #expect(try handshake.receive(&input) == .free)
        #expect(answers.asked == [["A", "B b=c"]] && answers.told == [["nextnonce=\"n\""]])
    }

    // MARK: Random bytes

    /// Bytes that have a meaning in one protocol or the other.
    private static let telling: [UInt8] = [0, 1, 2, 3, 4, 5, 90, 91, 255] + latin1("HTP/1. 20\r\n:")

    private func noise(_ generator: inout SplitMix64, upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &generator)).map { _ in
            if Bool.random(using: &generator), let byte = Self.telling.randomElement(using: &generator) { return byte }
            return UInt8.random(in: 0...255, using: &generator)
        }
    }

    /// Random bytes alone, after a valid beginning, or in the middle of a valid response.
    private func hostile(_ side: ProxySide, _ generator: inout SplitMix64) -> [UInt8] {
        let at = Int.random(in: 0...side.accepted.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return noise(&generator, upTo: 40)
        case 1: return side.accepted.prefix(at) + noise(&generator, upTo: 40)
        case 2: return side.accepted + noise(&generator, upTo: 10)
        default:
            var bytes = side.accepted
            let end = min(bytes.count, at + Int.random(in: 0...2, using: &generator))
            bytes.replaceSubrange(at..<end, with: noise(&generator, upTo: 3))
            return bytes
        }
    }

    @Test(arguments: ProxySide.all, 0..<4)
    func `nothing that a proxy says traps, and none comes to something else when it is cut`(
        _ side: ProxySide, _ seed: Int
    ) throws {
        var generator = SplitMix64(seed: 0x7072_6F78_79 &+ UInt64(seed))
        var (freed, refused) = (0, 0)
        for _ in 0..<600 {
            let bytes = hostile(side, &generator)
            let whole = try side.converse(bytes)
            let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
            let cut = try side.converse(bytes, cuts: cuts)
            let bytewise = try side.converse(bytes, cuts: 1..<max(bytes.count, 1))
            guard whole == cut, whole == bytewise else {
                Issue.record("\(bytes): whole: \(whole), cut at \(cuts): \(cut), byte by byte: \(bytewise)")
                return
            }
            #expect(whole.rest.count <= bytes.count)
            if let error = whole.error {
                refused += 1
                #expect(error.kind == .proxy && !error.description.holdsControlCharacter, "\(bytes): \(error)")
            }
            if whole.isFree { freed += 1 }
        }
        // The random bytes reach both outcomes.
        #expect(freed > 0 && refused > 0)
    }
}
