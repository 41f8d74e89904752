// ConnectHandshake: a tunnel through an HTTP proxy (RFC 9110 section 9.3.6).

package import TsubameCore

package final class ConnectHandshake: ProxyHandshake {
    package let greeting: [UInt8]
    private var decoder: ResponseDecoder
    private var isOver = false

    /// - Parameters:
    ///   - authority: `host:port`, always with its port.
    ///   - authorization: the value of Proxy-Authorization. No other field goes with it: what belongs to the request is
    ///     for the origin.
    package init(authority: String, authorization: String?, limits: Limits) {
        var head = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
        if let authorization { head += "Proxy-Authorization: \(authorization)\r\n" }
        greeting = Array((head + "\r\n").utf8)
        decoder = ResponseDecoder(limits: limits)
        // Whatever its head says, no body follows a success (RFC 9112 section 6.3); of a refusal the head is enough.
        decoder.begin(isHead: true)
    }

    package func receive(_ input: inout [UInt8]) throws(WireError) -> ProxyAnswer? {
        if isOver { return .free }
        while true {
            var offset = 0
            let event: Result<ResponseDecoder.Event, WireError> = input.withUnsafeBytes { bytes in
                do throws(WireError) {
                    return .success(try decoder.next(bytes, &offset))
                } catch {
                    return .failure(error)
                }
            }
            switch event {
            case .success(.needsMore): return nil
            case .success(.informational): input.removeFirst(Swift.min(offset, input.count))
            case .success(.whole(let head, _)), .success(.head(let head, _)):
                input.removeFirst(Swift.min(offset, input.count))
                try check(head)
                isOver = true
                return .free
            case .success: throw .proxy("it does not answer as an HTTP proxy")
            case .failure(let error): throw .proxy("it does not answer as an HTTP proxy: \(error)")
            }
        }
    }

    private func check(_ head: ReceivedHead) throws(WireError) {
        switch head.status {
        case 200...299: return
        case 407: throw .proxy("it wants credentials, or refuses those that it was given (407)")
        default:
            let reason = head.reason.isEmpty ? "" : " " + Redaction.printable(head.reason)
            throw .proxy("it refuses the tunnel (\(head.status)\(reason))")
        }
    }
}
