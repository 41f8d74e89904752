// What an exchange sends, whichever protocol carries it.

import HTTPTypes
import TsubameCore
import TsubameWire

extension Exchange {
    /// How the body is told of and delimited; nil while its file has not been opened.
    var framing: RequestEncoder.Framing? {
        switch upload {
        case .none: request.method.expectsBody ? .length(0) : RequestEncoder.Framing.none
        case .small(let bytes): .length(Int64(bytes.count))
        case .pieces(_, let length):
            request.body.trailers == nil ? length.map { .length($0) } ?? .chunked : .chunked
        case .file: nil
        }
    }

    var isChunked: Bool { framing == .chunked }

    /// What goes out with the head.
    var smallBody: Bytes? {
        if case .small(let bytes) = upload { bytes } else { nil }
    }

    /// The head has gone out, with this body if it is there.
    func tellSent(_ body: Bytes?) {
        if let info, info.isReused { call.emit(.reused(info)) }
        call.emit(.sent(request))
        if let body { tellSent(body: body) }
    }

    func tellSent(body: Bytes) {
        call.emit(.sending(TransferProgress(bytes: Int64(body.count), total: Int64(body.count))))
        if shownBytes > 0 { call.emit(.requestBody(body.slice(0..<shownBytes))) }
    }
}
