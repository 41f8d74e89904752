// ConnectHandshake: opens a tunnel through an HTTP proxy (RFC 9110 section 9.3.6).

import HTTPTypes
package import TsubameCore

package final class ConnectHandshake: ProxyHandshake {
    /// The maximum size of a refusal's body that is read, in bytes, so that the connection can be used again with
    /// credentials.
    private static let drainedBytes = 64 << 10

    private let authority: String
    private let credentials: (any ProxyAuthorizer)?
    private var decoder: ResponseDecoder
    private var isOver = false
    /// The answer to a challenge, and the number of bytes of the refusal's body that have been read. The handshake
    /// sends the answer after the body.
    private var pending: (authorization: String, drained: Int)?
    package private(set) var mayBeginAnew = false
    package let greeting: [UInt8]

    /// - Parameters:
    ///   - authority: `host:port`, always with its port.
    ///   - authorization: the value of Proxy-Authorization. No other field is sent, because the fields of the request
    ///     are for the origin.
    ///   - credentials: answers the proxy's challenges.
    package init(
        authority: String, authorization: String?, credentials: (any ProxyAuthorizer)? = nil, limits: Limits
    ) {
        self.authority = authority
        self.credentials = credentials
        greeting = Self.request(authority, authorization)
        decoder = ResponseDecoder(limits: limits)
        decoder.begin(isHead: credentials == nil, isTunnel: true)
    }

    private static func request(_ authority: String, _ authorization: String?) -> [UInt8] {
        var head = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
        if let authorization { head += "Proxy-Authorization: \(authorization)\r\n" }
        return Array((head + "\r\n").utf8)
    }

    package func receive(_ input: inout [UInt8]) throws(WireError) -> ProxyAnswer? {
        if isOver { return .free }
        // The bytes that were read are removed once, since a body may consist of thousands of chunks.
        var offset = 0
        defer { input.removeFirst(Swift.min(offset, input.count)) }
        while true {
            // The proxy has begun to answer, so the result of this answer counts.
            if pending == nil, offset < input.count { mayBeginAnew = false }
            let event: Result<ResponseDecoder.Event, WireError> = input.withUnsafeBytes { bytes in
                do throws(WireError) {
                    return .success(try decoder.next(bytes, &offset))
                } catch {
                    return .failure(error)
                }
            }
            switch event {
            case .success(.needsMore): return nil
            case .success(.informational): continue
            case .success(.whole(let head, let body)):
                if let answer = try take(head) { return answer }
                return drain(body.count) ?? again()
            case .success(.head(let head, _)):
                if let answer = try take(head) { return answer }
                if let answer = drain(0) { return answer }
            case .success(.body(let range)):
                if let answer = drain(range.count) { return answer }
            case .success(.end): return again()
            case .failure(let error): throw .proxy("it does not answer as an HTTP proxy: \(error)")
            }
        }
    }

    /// - Returns: nil for a refusal that is answered with credentials.
    private func take(_ head: ReceivedHead) throws(WireError) -> ProxyAnswer? {
        let fields = ReceivedFields(head)
        switch head.status {
        case 200...299:
            credentials?.take(fields[values: .proxyAuthenticationInfo])
            isOver = true
            return .free
        case 407:
            guard let answer = credentials?.answer(fields[values: .proxyAuthenticate]) else {
                throw .proxy("it requires credentials, or refuses the ones that the client sent (407)")
            }
            pending = (answer, 0)
            mayBeginAnew = true
            return nil
        default:
            let reason = head.reason.isEmpty ? "" : " " + Redaction.printable(head.reason)
            throw .proxy("it refuses the tunnel (\(head.status)\(reason))")
        }
    }

    /// - Returns: `elsewhere` if the connection ends with the body, or the body is too long; nil otherwise.
    private func drain(_ count: Int) -> ProxyAnswer? {
        pending?.drained += count
        return decoder.mustClose || (pending?.drained ?? 0) > Self.drainedBytes ? .elsewhere : nil
    }

    /// Repeats the request with the answer, after the refusal was read to its end.
    private func again() -> ProxyAnswer {
        let authorization = pending?.authorization
        pending = nil
        decoder.begin(isTunnel: true)
        return .send(Self.request(authority, authorization))
    }
}

/// Answers the challenges of a proxy, once for each request that the proxy refuses.
package protocol ProxyAuthorizer: AnyObject {
    /// - Parameter challenges: the values of Proxy-Authenticate.
    /// - Returns: the value of Proxy-Authorization for another request; nil to give up.
    func answer(_ challenges: [String]) -> String?
    /// - Parameter information: the values of Proxy-Authentication-Info (RFC 7615), after a success.
    func take(_ information: [String])
}
