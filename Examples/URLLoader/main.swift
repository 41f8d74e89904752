// Origin 3: a timeline viewer that lives on notifications.
// Loads the timeline of the user named by the second argument, with an indicator while anything is in flight.

#if XML
import Foundation
import Tsubame
import TsubameFoundation

let arguments = CommandLine.arguments.dropFirst()
let api = Client(arguments.first ?? "http://127.0.0.1:8080")

let indicator = ActivityMonitor(api) { count in print("indicator: \(count > 0 ? "on" : "off")") }
let viewer = TimelineViewer()

api.start(Timeline.request(of: arguments.dropFirst().first ?? "kinukawa"), notifying: .default)
dispatchMain()
#else
import Foundation

print("URLLoader decodes XML: build it with `swift build --traits XML --product URLLoader`")
exit(1)
#endif
