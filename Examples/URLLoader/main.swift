// URLLoader: a timeline viewer that lives on notifications.
// It loads the timelines of the users named after the URL, one after the other. An indicator shows while a load runs.

#if XML
import Foundation
import Tsubame
import TsubameFoundation

let arguments = CommandLine.arguments.dropFirst()
let api = Client(arguments.first ?? "http://127.0.0.1:8080")

let indicator = ActivityMonitor(api) { count in print("indicator: \(count > 0 ? "on" : "off")") }

@MainActor func load(_ users: ArraySlice<String>, hasFailed: Bool = false) {
    guard let user = users.first else { exit(hasFailed ? 1 : 0) }
    // The objects that it observes keep it alive until its timeline has arrived.
    let call = api.start(Timeline.request(of: user), notifying: .default)
    _ = TimelineViewer(of: call) { isShown in load(users.dropFirst(), hasFailed: hasFailed || !isShown) }
}

load(arguments.count > 1 ? arguments.dropFirst() : ["kinukawa"])
dispatchMain()
#else
import Foundation

print("URLLoader decodes XML: build it with `swift build --traits defaults,XML --product URLLoader`")
exit(1)
#endif
