// DownloadAnswer: what a response means for the download that asked for a file, or for the rest of one.

import HTTPTypes
import TsubameCore

enum DownloadAnswer: Sendable, Equatable {
    /// The body is the whole file.
    case everything
    /// The body is these bytes of a file with `total` bytes.
    case rest(Range<Int64>, total: Int64)
    /// The file has no more bytes than are here already.
    case complete
    /// The bytes that are here do not belong to the server's file: the download must ask for the whole file.
    case again
    /// A part (206), although the request set no range.
    case unasked
    /// Another status, whose body is not the file.
    case refused

    /// - Parameters:
    ///   - asked: the bytes that the request asked for; nil if it asked for the whole file.
    ///   - record: the record of the bytes that are here.
    ///   - received: the number of bytes that are here.
    ///   - hasDigest: whether the caller names the digest of the whole file.
    init(
        _ response: Response, asked: Range<Int64>?, record: DownloadRecord?, received: Int64, hasDigest: Bool
    ) {
        guard let asked, let record else {
            if response.statusCode == 206, !response.request.headers.contains(.range) {
                self = .unasked
            } else {
                self =
                    response.isAccepted && response.statusCode != 204 && response.statusCode != 205
                    ? .everything : .refused
            }
            return
        }
        let isAdmitted = record.admits(from: DownloadRecord.origin(of: response), hasDigest: hasDigest)
        switch response.statusCode {
        case 206: self = isAdmitted ? Self.part(response, asked, record) : .again
        case 200: self = Self.isCoded(response) ? .again : .everything
        case 412: self = .again
        case 416:
            let total = response.contentRange?.total
            let isOther = response.headers.contains(.eTag) && !record.validators.agree(with: response.headers)
            self =
                isAdmitted && total == received && total == record.total ?? received && !isOther ? .complete : .again
        default: self = .refused
        }
    }

    private static func part(_ response: Response, _ asked: Range<Int64>, _ record: DownloadRecord) -> DownloadAnswer {
        guard let range = response.contentRange, let bytes = range.bytes, bytes.lowerBound == asked.lowerBound,
            !isCoded(response), record.validators.agree(with: response.headers)
        else { return .again }
        guard let total = range.total ?? record.total, record.total ?? total == total, bytes.upperBound < total else {
            return .again
        }
        return .rest(bytes.lowerBound..<bytes.upperBound &+ 1, total: total)
    }

    private static func isCoded(_ response: Response) -> Bool {
        response.headers[.contentEncoding].map { $0.lowercased() != "identity" } ?? false
    }
}
