// The constants for header names: each is the name that it stands for.

import HTTPTypes
import Testing
import TsubameCore

@Suite struct FieldNameTests {
    @Test(
        arguments: [
            (HTTPField.Name.altSvc, "Alt-Svc"), (.cacheStatus, "Cache-Status"), (.contentDigest, "Content-Digest"),
            (.host, "Host"), (.idempotencyKey, "Idempotency-Key"), (.lastEventID, "Last-Event-ID"), (.pragma, "Pragma"),
            (.reprDigest, "Repr-Digest"),
            (.uploadComplete, "Upload-Complete"), (.uploadDraftInteropVersion, "Upload-Draft-Interop-Version"),
            (.uploadLength, "Upload-Length"), (.uploadLimit, "Upload-Limit"), (.uploadOffset, "Upload-Offset"),
        ] as [(HTTPField.Name, String)])
    func `a constant is the field's registered name`(_ name: HTTPField.Name, _ text: String) {
        #expect(name.rawName == text)
    }
}
