// How an exchange sends its request, over either version of HTTP, and the events of that.

import HTTPTypes
import TsubameCore
import TsubamePlatform
import TsubameWire

/// How one sending of a request goes out.
struct SendingPlan {
    let framing: RequestEncoder.Framing
    /// The whole body, which goes out with the head.
    let bodyWithHead: Bytes?
    /// The head goes out alone, and the body when the server wants it (RFC 9110 section 10.1.1).
    let asksFirst: Bool
    /// Whether nothing follows the head.
    let endsWithHead: Bool
}

extension Exchange {
    @inline(__always)
    var sendingPlan: SendingPlan {
        let asksFirst = asksFirst(framing)
        switch upload {
        case .small(let bytes):
            return SendingPlan(
                framing: framing, bodyWithHead: asksFirst ? nil : bytes, asksFirst: asksFirst,
                endsWithHead: bytes.count == 0)
        case .pieces:
            return SendingPlan(framing: framing, bodyWithHead: nil, asksFirst: asksFirst, endsWithHead: false)
        case .none: return SendingPlan(framing: framing, bodyWithHead: nil, asksFirst: asksFirst, endsWithHead: true)
        }
    }

    /// How the body is told of and delimited.
    private var framing: RequestEncoder.Framing {
        switch upload {
        case .none: outgoing.request.method.expectsBody ? .length(0) : RequestEncoder.Framing.none
        case .small(let bytes): .length(Int64(bytes.count))
        case .pieces(_, let length):
            outgoing.request.body.trailers == nil ? length.map { .length($0) } ?? .chunked : .chunked
        }
    }

    var isChunked: Bool { framing == .chunked }

    /// With nothing to send there is nothing to ask for.
    private func asksFirst(_ framing: RequestEncoder.Framing) -> Bool {
        guard framing != .none, framing != .length(0), !sendings.isWithoutExpect,
            outgoing.request.headers.contains(.expect)
        else { return false }
        return outgoing.request.headers[.expect]?.lowercased() == "100-continue"
    }

    /// The fields as they go out.
    @inline(__always)
    var fields: HTTPFields {
        sendings.isWithoutExpect ? sentRequest.headers.fields : outgoing.request.headers.fields
    }

    /// The encoded fields that the request has in common with others; nil if its fields are its own.
    @inline(__always)
    var sharedFields: PreencodedFields? {
        guard let shared = call.options.sharedFields, PreencodedFields.isSame(shared.fields, fields) else { return nil }
        return shared
    }

    /// The request as it was last sent.
    @inline(__always)
    var sentRequest: Request { sendings.isWithoutExpect ? requestWithoutExpect : outgoing.request }

    private var requestWithoutExpect: Request {
        var request = outgoing.request
        request.headers[.expect] = nil
        return request
    }

    /// Why the request cannot be sent, if it cannot.
    var invalidity: CallError? {
        // Fields that were encoded before are sound.
        let fields = sharedFields == nil ? fields : HTTPFields()
        do throws(WireError) {
            try RequestEncoder.validate(
                method: outgoing.request.method.rawValue, target: outgoing.uri.target, headers: fields)
            return nil
        } catch {
            return CallError(error, phase: .preparing)
        }
    }

    // MARK: Progress

    /// It waits for a connection. A connection that ends before the head goes out does not set it back.
    /// - Returns: since when it waits.
    func waits(from now: MonotonicTime) -> MonotonicTime {
        if progress.waitsSince == 0 { progress.waitsSince = now }
        return progress.waitsSince
    }

    /// The head has been written, with this body if it is there.
    @inline(__always)
    func headGoesOut(at now: MonotonicTime, with body: Bytes?) {
        enter(.waitingForHead)
        progress.timings.sentAt = now
        progress.waitsSince = 0
        if outgoing.isObserved { tellSent(body) }
    }

    private func tellSent(_ body: Bytes?) {
        if let connection = progress.connection, connection.isReused { call.emit(.reused(connection)) }
        call.emit(.sent(sentRequest))
        if let body { tellSent(body: body) }
    }

    private func tellSent(body: Bytes) {
        call.emit(.sending(TransferProgress(bytes: Int64(body.count), total: Int64(body.count))))
        if outgoing.shownBytes > 0 { call.emit(.requestBody(body.slice(0..<outgoing.shownBytes), at: 0)) }
    }

    /// The body follows its head, piece by piece.
    func bodyBegins() { enter(.sendingBody) }

    /// The small body that was held back has gone out.
    func heldBodyGoesOut(_ body: Bytes, at now: MonotonicTime) {
        progress.timings.sentAt = now
        if outgoing.isObserved { tellSent(body: body) }
    }

    /// The socket has taken so many bytes more of the body.
    func bodyMoved(_ count: Int64) { progress.sentBytes += count }

    /// The socket has taken the whole body.
    /// - Returns: whether the head is awaited from now on, and not there already.
    func bodySent(at now: MonotonicTime) -> Bool {
        guard phase == .sendingBody else { return false }
        enter(.waitingForHead)
        progress.timings.sentAt = now
        return true
    }
}
