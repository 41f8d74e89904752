// tsubame-demo: does the jobs of five hand-written HTTP layers with this library.
// The jobs run one after the other against an embedded server, whose record of every request is compared byte by byte.
// `--flip N` falsifies the expectation of comparison N; `--lose N` loses the record of request N.
// On a terminal, or with `--inspect`, a page in the browser shows the calls.

import Foundation

#if Server && XML
/// The number after an option.
func number(after option: String) -> Int? {
    let words = CommandLine.arguments
    guard let index = words.firstIndex(of: option), index + 1 < words.count else { return nil }
    return Int(words[index + 1])
}

/// On a terminal the calls can be looked at in a browser.
let isInspected = isatty(STDOUT_FILENO) == 1 || CommandLine.arguments.contains("--inspect")
var page: (url: String, inspector: AnyObject)?
let ledger = DemoLedger(flip: number(after: "--flip"))
do {
    let server = try await DemoServer(losing: number(after: "--lose"), isInspected: isInspected)
    ledger.write("The embedded server listens at \(server.url).")
    page = try await server.inspect()
    if let page { ledger.write("The inspector shows the calls at \(page.url)") }
    let jobs: [() async throws -> Void] = [
        KeyValueDemo(server, ledger).run, LoginDemo(server, ledger).run, TimelineDemo(server, ledger).run,
        BlockDemo(server, ledger).run, ConnectorDemo(server, ledger).run,
    ]
    for job in jobs {
        do {
            try await job()
        } catch {
            ledger.fail("the job could not be done: \(error)")
        }
    }
    await server.stop()
} catch {
    ledger.fail("the embedded server does not start: \(error)")
}
let isRight = ledger.close()
if isRight {
    print(
        """

        Next: make install                installs the tool (PREFIX=… chooses where);
              tsubame serve               runs this server, and tsubame :8080/get page==2 sends it a request;
              README.md, "Five lines"     does the same in Swift.
        """)
}
if let page {
    print("\nThe inspector stays open at \(page.url)\nPress Enter to end it.")
    _ = readLine()
}
exit(isRight ? 0 : 1)
#else
let reason = "The demo needs the package traits Server and XML: make demo, or swift build --traits defaults,Server,XML"
FileHandle.standardError.write(Data((reason + "\n").utf8))
exit(1)
#endif
