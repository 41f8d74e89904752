// PhotoDiary: calls with closures for completion, progress and errors, and a timeout that applies to every method.
// A request and the handling of its response stand together. The closures run on the main thread.

import Foundation
import Tsubame

@MainActor
struct PhotoDiary {
    let api: Client

    /// Loads a page in EUC-JP. The response's charset is honoured.
    func loadPage(then next: @escaping @MainActor () -> Void) {
        api.start(Request(.get, "euc-jp")) { result in
            complete("page", result) { title(of: try $0.text()) }
            next()
        }
    }

    /// Loads the same page with a wrong label. The caller knows better.
    func loadMislabelledPage(then next: @escaping @MainActor () -> Void) {
        api.start(Request(.get, "euc-jp", query: ["charset": "utf-8"])) { result in
            complete("mislabelled page", result) { title(of: try $0.text(charset: .eucJP)) }
            next()
        }
    }

    private func title(of page: String) -> String {
        page.firstMatch(of: #/<title>(.*)</title>/#).map { String($0.1) } ?? "no title"
    }

    /// Uploads a photo, with a bar that grows as the photo is sent.
    func uploadPhoto(then next: @escaping @MainActor () -> Void) {
        struct Receipt: Decodable { let bytes: Int }

        let photo = RequestBody.bytes([UInt8](repeating: 0xD8, count: 4 << 20), contentType: "image/jpeg")
        api.start(Request(.post, "upload", body: photo)) { progress in
            guard progress.received.bytes == 0 else { return }
            print("progress: \(Int((progress.sent.fraction ?? 0) * 100)) %")
        } then: { result in
            complete("photo", result) { "\(try $0.json(Receipt.self).bytes) bytes arrived" }
            next()
        }
    }

    /// A status that reports an error is a response, not an error of the transfer.
    func loadMissingPage(then next: @escaping @MainActor () -> Void) {
        api.start(Request(.get, "status/404")) { result in
            complete("missing page", result) { "\($0.status)" }
            next()
        }
    }

    /// Sends a POST that the timeout ends, because the response is late.
    func postTooSlowly(then next: @escaping @MainActor () -> Void) {
        var comment = Request(.post, "delay/10", body: .form(["comment": "いい写真ですね"]))
        comment.timeouts.total = .milliseconds(500)
        api.start(comment) { result in
            fail("slow comment", result, as: .timeout)
            next()
        }
    }

    /// Cancels a call whose result is no longer needed.
    func cancelPage(then next: @escaping @MainActor () -> Void) {
        let call = api.start(Request(.get, "delay/10")) { result in
            fail("cancelled page", result, as: .cancelled)
            next()
        }
        call.cancel()
    }

    /// Expects a response; a transfer that fails ends the program.
    private func complete(
        _ what: String, _ result: Result<Response, CallError>, _ describe: (Response) throws -> String
    ) {
        do {
            print("\(what): \(try describe(result.get()))")
        } catch {
            print("\(what): \(error)")
            exit(1)
        }
    }

    /// Expects a failure of exactly this kind.
    private func fail(_ what: String, _ result: Result<Response, CallError>, as kind: CallError.Kind) {
        switch result {
        case .failure(let error) where error.kind == kind:
            print("\(what): \(error)")
        default:
            print("\(what): \(result)")
            exit(1)
        }
    }
}
