// DownloadAnswer: what a response to a request for a file, or for the rest of one, means.

import HTTPTypes
import TsubameCore

enum DownloadAnswer: Sendable, Equatable {
    /// The body is all of it.
    case everything
    /// The body is these bytes, of so many in all.
    case rest(Range<Int64>, total: Int64)
    /// There is nothing more than what is here already.
    case complete
    /// What is here does not belong to what the server has: ask for all of it.
    case again
    /// A part that nobody asked for.
    case unasked
    /// Another status, whose body is no file.
    case refused

    /// - Parameters:
    ///   - asked: the bytes that were asked for; nil if all were.
    ///   - record: of what is here.
    ///   - received: how many bytes are.
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
