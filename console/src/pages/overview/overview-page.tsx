// stub until the route is there
export const OverviewPage = () => null
