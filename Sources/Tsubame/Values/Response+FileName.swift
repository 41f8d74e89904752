// What a response's body would be called as a file.

import HTTPTypes
public import TsubameCore
import TsubameWire

extension Response {
    /// A name for a file with the body: that of Content-Disposition (RFC 6266, RFC 8187), or the last segment of the path of
    /// the URL that the call began with; nil if neither has one.
    ///
    /// It is a base name that can be written: without folders, dots at its beginning, control characters and what some
    /// system does not allow, and no longer than 255 bytes. Whether there is a file of that name already is for the caller to
    /// find out.
    public var suggestedFileName: String? {
        let field = headers[.contentDisposition].flatMap { ContentDisposition($0) }
        if let name = field?.filename.flatMap(FileName.safe) { return name }
        let uri = history.first?.request.uri ?? request.uri
        guard let segment = uri?.path.split(separator: "/", omittingEmptySubsequences: false).last else { return nil }
        return FileName.safe(PercentEncoding.decodeLeniently(String(segment)))
    }
}
