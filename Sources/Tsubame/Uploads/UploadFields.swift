// UploadFields: the fields of resumable uploads (draft-ietf-httpbis-resumable-upload).

import HTTPTypes
import TsubameCore
import TsubameWire

/// What a server says of an upload. A field that is not of its type counts as none, as section "State" of the draft has it.
enum UploadFields {
    /// Which iteration of the draft is spoken; to be left out once there is an RFC.
    static let interopVersion: Int64 = 8
    /// What a patch document of an upload is.
    static let mediaType = "application/partial-upload"
    /// Upload Resumption Supported.
    static let status = 104

    /// Whether the server speaks what we do.
    static func isUnderstood(_ fields: ReceivedFields) -> Bool {
        fields[.uploadDraftInteropVersion].flatMap(StructuredField.integer) == interopVersion
    }

    /// How many bytes have been processed.
    static func offset(_ fields: ReceivedFields) -> Int64? { count(fields[.uploadOffset]) }

    /// How many bytes there are to be in all.
    static func length(_ fields: ReceivedFields) -> Int64? { count(fields[.uploadLength]) }

    /// Whether everything has come, and has been said to be everything.
    static func isComplete(_ fields: ReceivedFields) -> Bool {
        fields[.uploadComplete].flatMap(StructuredField.boolean) ?? false
    }

    private static func count(_ field: String?) -> Int64? {
        guard let value = field.flatMap(StructuredField.integer), value >= 0 else { return nil }
        return value
    }
}

extension HTTPField.Name {
    static let uploadOffset = HTTPField.Name("Upload-Offset") ?? .location
    static let uploadComplete = HTTPField.Name("Upload-Complete") ?? .location
    static let uploadLength = HTTPField.Name("Upload-Length") ?? .location
    static let uploadLimit = HTTPField.Name("Upload-Limit") ?? .location
    static let uploadDraftInteropVersion = HTTPField.Name("Upload-Draft-Interop-Version") ?? .location
}
